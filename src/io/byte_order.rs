//! The byte order of numbers.

/// The byte order of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// Most significant first, as revisions 0 and 1 require.
    #[default]
    Big,
    /// Least significant first.
    Little,
}
