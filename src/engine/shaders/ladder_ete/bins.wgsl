// Index of each node's row in the table, one per word.

@group(0) @binding(1) var<storage, read> bins: array<u32>;

fn bin(i: u32) -> u32 {
    return bins[i];
}
