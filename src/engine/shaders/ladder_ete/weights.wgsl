// The order of a row's weights.
//
//   c_0, then from reach 1 on: along z, along x and y, on the diagonals of the
//   zx and yz planes, on those of the xy plane
//
// Twin: src/numbers/stencil/ete/table.rs.

// Offset of the weights of reach 1.
const ALONG_Z: u32 = 0u;
const ACROSS: u32 = RADIUS;
const UPRIGHT: u32 = 2u * RADIUS;
const LEVEL: u32 = UPRIGHT + DIAGONAL;
