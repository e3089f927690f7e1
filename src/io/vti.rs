//! VTK image data, which ParaView opens: XML, and floats behind it.
//! <https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html>

use super::floats;
use crate::grid::Axes;
use ndarray::{ArrayView3, s};
use std::io::{self, Write};

/// Writes a model of shape `[y][x][z]` with `h` metres between nodes. VTK draws z upwards, so its z
/// is minus the depth: the deepest nodes come first.
pub fn write(sink: &mut dyn Write, velocity: ArrayView3<'_, f32>, h: Axes<f64>) -> io::Result<()> {
    let (ny, nx, nz) = velocity.dim();
    let bytes = 4 * velocity.len() as u64;
    let extent = format!("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
    let bottom = -(nz as f64 - 1.0) * h.z;
    write!(
        sink,
        r#"<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{extent}" Origin="0 0 {bottom}" Spacing="{} {} {}">
    <Piece Extent="{extent}">
      <PointData Scalars="velocity">
        <DataArray type="Float32" Name="velocity" format="appended" offset="0"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
_"#,
        h.x, h.y, h.z
    )?;
    sink.write_all(&bytes.to_le_bytes())?;
    let upwards = velocity.slice_move(s![.., .., ..;-1]).permuted_axes([2, 0, 1]);
    floats::write(sink, upwards.iter())?;
    sink.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
}
