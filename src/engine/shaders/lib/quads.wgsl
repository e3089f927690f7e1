// From a column to the next and from a plane to the next, quads of nodes along z.
const COLUMN: u32 = STRIDE / 4u;
const PLANE_4: u32 = PLANE / 4u;
