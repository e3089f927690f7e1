// Models as files, for the test of the page.

/** A model as SEG-Y of revision 1: two layers, `nx` traces 20 m apart. */
export function segy(nx, nz) {
  const trace = 240 + 4 * nz;
  const view = new DataView(new ArrayBuffer(3600 + nx * trace));
  for (let at = 0; at < 3200; at++) view.setUint8(at, 0x40);
  view.setInt16(3216, 20);
  view.setInt16(3220, nz);
  view.setInt16(3224, 5);
  view.setInt16(3254, 1);
  view.setInt16(3500, 256);
  view.setInt16(3502, 1);
  for (let x = 0; x < nx; x++) {
    const at = 3600 + x * trace;
    view.setInt32(at, x + 1);
    view.setInt32(at + 20, x + 1);
    view.setInt16(at + 70, 1);
    view.setInt16(at + 114, nz);
    view.setInt16(at + 116, 20);
    view.setInt32(at + 180, 20 * x);
    view.setInt32(at + 188, 1);
    view.setInt32(at + 192, x + 1);
    for (let z = 0; z < nz; z++) view.setFloat32(at + 240 + 4 * z, z < nz / 2 ? 1500 : 2500);
  }
  return new File([view.buffer], "two-layers.sgy");
}

/** An .npy of f32, shape [x][z]. */
export function npy(nx, nz, name) {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${nx}, ${nz}), }`.padEnd(117) + "\n";
  const header = new Uint8Array([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0, ...new TextEncoder().encode(text)]);
  return new File([header, new Float32Array(nx * nz).fill(2000)], name);
}

/** An .rsf whose data follow the header. */
export function rsf(nx, nz) {
  const text = `n1=${nz} d1=20 label1="z" unit1="m"\nn2=${nx} d2=20 label2="x" unit2="m"\ndata_format="native_float" esize=4 in="stdin"\n`;
  return new File([text, new Uint8Array([12, 12, 4]), new Float32Array(nx * nz).fill(2000)], "even.rsf");
}
