//! VTK image data, which ParaView opens: XML, and floats behind it.
//! <https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html>

use super::floats;
use crate::{
    grid::{Axes, Position},
    model::{ModelQuantity, Placement},
};
use ndarray::{ArrayView3, s};
use std::io::{self, Write};

/// Writes a model of shape `[y][x][z]` with `h` metres between nodes at its place on the map. VTK
/// draws z upwards, so its z is the elevation, minus the depth: the deepest nodes come first.
pub fn write(
    sink: &mut dyn Write,
    values: ArrayView3<'_, f32>,
    quantity: ModelQuantity,
    h: Axes<f64>,
    placement: &Placement,
) -> io::Result<()> {
    let (ny, nx, nz) = values.dim();
    let bytes = 4 * values.len() as u64;
    let extent = format!("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
    let (first, name) = (placement.origin, quantity.name());
    let bottom = -((nz as f64 - 1.0) * h.z + first.z);
    // The columns of the matrix are the directions of x, y and z.
    let along = |x, y| {
        let end = placement.on_map(Position { x, y, z: 0.0 });
        [end.x - first.x, end.y - first.y]
    };
    let ([xx, xy], [yx, yy]) = (along(1.0, 0.0), along(0.0, 1.0));
    let direction = match placement.is_straight() {
        true => String::new(),
        false => format!(r#" Direction="{xx} {yx} 0 {xy} {yy} 0 0 0 1""#),
    };
    write!(
        sink,
        r#"<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{extent}" Origin="{} {} {bottom}" Spacing="{} {} {}"{direction}>
    <Piece Extent="{extent}">
      <PointData Scalars="{name}">
        <DataArray type="Float32" Name="{name}" format="appended" offset="0"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
_"#,
        first.x, first.y, h.x, h.y, h.z
    )?;
    sink.write_all(&bytes.to_le_bytes())?;
    let upwards = values.slice_move(s![.., .., ..;-1]).permuted_axes([2, 0, 1]);
    floats::write(sink, upwards.iter())?;
    sink.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
}
