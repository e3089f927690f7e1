//! Values that flags name.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Reads the name of a value.
pub(crate) fn named<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    explained(values, &[])
}

/// Like [`named`], with help texts for the first values.
pub(crate) fn explained<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, T)],
    help: &[&'static str],
) -> impl TypedValueParser<Value = T> {
    let help = help.iter().copied().map(Some).chain(std::iter::repeat(None));
    let names = values.iter().zip(help).map(|((name, _), help)| {
        let value = PossibleValue::new(*name);
        help.into_iter().fold(value, PossibleValue::help)
    });
    PossibleValuesParser::new(names).map(|name| {
        let named = values.iter().find(|(own, _)| *own == name);
        named.expect("clap takes only these names").1
    })
}
