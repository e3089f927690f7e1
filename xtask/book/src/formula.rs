//! Formulas in LaTeX as MathML.

use pulldown_latex::{Parser, RenderConfig, Storage, config::DisplayMode, mathml::push_mathml};

/// A formula, in a line of text or by itself.
pub fn mathml(latex: &str, alone: bool) -> Result<String, String> {
    let storage = Storage::new();
    let events: Result<Vec<_>, _> = Parser::new(latex, &storage).collect();
    let told = |error: &dyn std::fmt::Display| format!("the formula `{}`: {error}", latex.trim());
    let events = events.map_err(|error| told(&error))?;
    let display_mode = if alone { DisplayMode::Block } else { DisplayMode::Inline };
    let mut out = String::new();
    let whole = events.into_iter().map(Ok::<_, std::fmt::Error>);
    push_mathml(&mut out, whole, RenderConfig { display_mode, ..RenderConfig::default() })
        .map_err(|error| told(&error))?;
    // A function's space becomes a third part of what has two, and a browser shows neither.
    if ["msup", "msub", "msubsup"].iter().any(|tag| out.contains(&format!("<{tag}><mspace"))) {
        return Err(told(&r"a function with an index is written {\cos}^2, not \cos^2"));
    }
    // What follows is Markdown still: none of its marks may be left, nor a line that ends the HTML.
    let marks = [("*", "&#42;"), ("_", "&#95;"), ("|", "&#124;"), ("\\", "&#92;"), ("\n", " ")];
    Ok(marks.iter().fold(out, |text, (mark, written)| text.replace(mark, written)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_mathml_on_one_line() {
        let inline = mathml(r"\frac{1}{v^2} |p|", false).expect("a formula");
        assert!(inline.starts_with("<math") && inline.ends_with("</math>"), "{inline}");
        assert!(inline.contains("<mfrac>") && inline.contains("&#124;"), "{inline}");
        assert!(!inline.contains(['|', '\n', '\\']));
        let alone = mathml("a\n+ b", true).expect("a formula");
        assert!(alone.contains("display=\"block\"") && !alone.contains('\n'), "{alone}");
    }

    #[test]
    fn what_is_no_formula_is_named() {
        let wrong = mathml(r"\frac{1", false).unwrap_err();
        assert!(wrong.starts_with(r"the formula `\frac{1`: "), "{wrong}");
        assert!(mathml(r"\nosuchcommand", false).is_err());
        assert!(mathml(r"a \cos^2 b", false).unwrap_err().contains(r"{\cos}^2"));
        assert!(mathml(r"a {\cos}^2 b", false).is_ok());
    }
}
