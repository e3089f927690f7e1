"""Makes the files of this folder with other programs: pip install h5py netCDF4 numpy segyio; python make.py

Each holds v[x][z] = 1500 + 10 x + z (node numbers) in m/s, 6 nodes along x and 5 along z, unless it says otherwise.
"""

import gzip
import os
import h5py
import netCDF4
import numpy as np
import segyio

v = (1500 + 10 * np.arange(6)[:, None] + np.arange(5)[None, :]).astype("f4")

# h5py: chunks, shuffled and deflated, big-endian f64, in a group, beside arrays that are no models.
with h5py.File("h5py.h5", "w") as f:
    group = f.create_group("run/model")
    array = group.create_dataset("vp", data=v.astype(">f8"), chunks=(4, 3), compression="gzip", shuffle=True)
    array.attrs["units"] = "m/s"
    array.attrs["d"] = np.array([20.0, 10.0])
    array.attrs["o"] = np.array([100.0, 0.0])
    f["wavelet"] = np.zeros(7, "f4")
    f["index"] = np.zeros((6, 5), "i4")

# h5py: the oldest layout, LZF, two arrays of which one is to be named.
with h5py.File("two.h5", "w", libver="earliest") as f:
    f.create_dataset("vp", data=v, compression="lzf", chunks=(2, 5))
    f.create_dataset("rho", data=v[:4])

# netCDF-4: coordinates as variables, in km along the depth.
with netCDF4.Dataset("netcdf4.nc", "w") as f:
    f.createDimension("x", 6)
    f.createDimension("depth", 5)
    x = f.createVariable("x", "f4", ("x",))
    x[:] = 100 + 20 * np.arange(6)
    x.units = "m"
    z = f.createVariable("depth", "f8", ("depth",))
    z[:] = 0.01 * np.arange(5)
    z.units = "km"
    array = f.createVariable("vp", "f4", ("x", "depth"), zlib=True)
    array[:] = v
    array.units = "m s-1"

# As JUDI's overthrust_model.h5: n, d, o and squared slowness, of Julia, whose first axis (x) is the fastest.
with h5py.File("judi.h5", "w") as f:
    f["n"] = np.array([6, 5], "i8")
    f["d"] = np.array([20.0, 10.0], "f4")
    f["o"] = np.array([0.0, 0.0], "f4")
    f["m"] = (1e6 / v.astype("f8") ** 2).T.astype("f4")

# h5py: soft links in the root and in a group, one of them to nothing.
with h5py.File("soft.h5", "w") as f:
    f["run/vp"] = v
    f["alias"] = h5py.SoftLink("/run/vp")
    f["run/latest"] = h5py.SoftLink("/nothing")

# h5py: groups that are in themselves, by hard links.
with h5py.File("circle.h5", "w") as f:
    f["run/vp"] = v
    f["run/root"] = f["/"]
    f["run/run"] = f["run"]

# h5py: dimension scales as netCDF has them, without its hidden attributes; one time before x and depth.
with h5py.File("scales.h5", "w") as f:
    array = f.create_dataset("vp", data=1e-3 * v[None])
    array.attrs["units"] = "km.s-1"
    for axis, (name, at, unit) in enumerate(
        [("time", [0.0], "s"), ("x", 100 + 20.0 * np.arange(6), "m"), ("depth", 0.01 * np.arange(5), "km")]
    ):
        f[name] = np.array(at)
        f[name].attrs["units"] = unit
        f[name].make_scale(name)
        array.dims[axis].attach_scale(f[name])

# h5py with HDF5 2.0: layouts that the reader does not know.
for name, libver, packed in [("layout5.h5", "v200", "gzip"), ("btree2.h5", "v110", None)]:
    with h5py.File(name, "w", libver=libver) as f:
        f.create_dataset("vp", data=v, chunks=(4, 3), maxshape=(None, None), compression=packed)

# segyio, packed by Python's gzip: traces along z, 10 m apart.
segyio.tools.from_array2D("segyio.sgy", v, dt=10000)
with open("segyio.sgy", "rb") as plain, open("segyio.sgy.gz", "wb") as packed:
    packed.write(gzip.compress(plain.read(), mtime=0))
os.remove("segyio.sgy")
