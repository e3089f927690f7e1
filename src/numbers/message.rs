//! The text of errors and warnings: "mistake; remedy", where the remedy names settings by their keys
//! in a job and by flags. Programs with other names for them translate the whole text ([`Names`]).

use std::fmt::Display;

/// A list of remedies, any one of which is enough.
pub fn any_of(remedies: &[impl Display]) -> String {
    match remedies {
        [] => String::new(),
        [one] => one.to_string(),
        [first, last] => format!("{first}, or {last}"),
        [first, rest @ ..] => format!("{first}, {}", any_of(rest)),
    }
}

/// Between a mistake and its remedy.
const BETWEEN: &str = "; ";

/// The message without its remedy.
pub fn mistake(message: &str) -> &str {
    message.rsplit_once(BETWEEN).map_or(message, |(mistake, _)| mistake)
}

/// The remedy at the end of a message; empty without one.
pub fn remedy(message: &str) -> &str {
    message.rsplit_once(BETWEEN).map_or("", |(_, remedy)| remedy)
}

/// The message, which begins with `what` it is about unless it names that.
pub fn about(what: impl Display, message: impl Display) -> String {
    let (what, message) = (what.to_string(), message.to_string());
    let mut words = mistake(&message).split(|c: char| c.is_whitespace() || ":;,\"()".contains(c));
    match words.any(|word| word == what) {
        true => message,
        false => format!("{what}: {message}"),
    }
}

/// A text in which no number has very many digits, as 1e300 has when it is printed.
pub fn with_exponents(text: &str) -> String {
    const MANY: usize = 40;
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let (mut short, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_digit) {
        let (before, from) = rest.split_at(start);
        let (number, after) = from.split_at(from.find(|c| !is_digit(c)).unwrap_or(from.len()));
        short.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if number.len() > MANY && value.is_finite() => {
                let stop = if number.ends_with('.') { "." } else { "" };
                short.push_str(&format!("{value:e}{stop}"));
            }
            _ => short.push_str(number),
        }
        rest = after;
    }
    short + rest
}

/// Those who have other names for settings than messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Flags of `huygens gather`, which has no job.
    Gather,
    /// Flags of `huygens model`, which has none either.
    Model,
    /// Keywords of the Python package.
    Python,
}

/// A setting, or a phrase about one, as messages name it.
struct Setting {
    key: &'static str,
    /// Its flag of `huygens gather`, if it has one.
    gather: Option<&'static str>,
    /// Its flag of `huygens model`, if it has one.
    model: Option<&'static str>,
    keyword: &'static str,
}

const fn gather(key: &'static str, flag: &'static str, keyword: &'static str) -> Setting {
    Setting { key, gather: Some(flag), model: None, keyword }
}

const fn model(key: &'static str, flag: &'static str, keyword: &'static str) -> Setting {
    Setting { key, gather: None, model: Some(flag), keyword }
}

const fn python(key: &'static str, keyword: &'static str) -> Setting {
    Setting { key, gather: None, model: None, keyword }
}

/// All settings with other names; phrases before the settings in them.
#[rustfmt::skip]
const SETTINGS: &[Setting] = &[
    python(", or the headers (gather.origin, gather.azimuth, gather.unit, gather.coordinate_scalar)", ""),
    gather("gather.unit", "--unit", "unit="),
    gather("gather.interval", "--interval", "interval="),
    gather("gather.coordinates = \"lengths\"", "--coordinates lengths", "lengths=True"),
    gather("gather.records", "--records", "records="),
    gather("gather.kill", "--kill", "kill="),
    gather("gather.start", "--start", "start="),
    gather("gather.coordinate_scalar", "--coordinate-scalar", "coordinate_scalar="),
    gather("gather.elevation_scalar", "--elevation-scalar", "elevation_scalar="),
    gather(
        ": gather.positions = \"job\", or a .csv of x, z and in 3-D y",
        " in the job that reads them (gather.positions)",
        "",
    ),
    python("(model.origin, model.azimuth)", "(origin= and azimuth= of huygens.Model)"),
    python("leave --adapter out with --backend cpu or reference", "leave adapter= out with \"cpu\" or \"reference\""),
    python("--backend cpu", "engine=\"cpu\""),
    python("--force", "force=True"),
    python("`huygens devices`", "huygens.devices()"),
    python("allow more with --max-memory", "allow more memory"),
    python("folder with --out", "folder"),
    python("time.record", "record="),
    python("time.step", "step"),
    python("gradient.observed", "observed="),
    python("gather.zeros = \"recorded\"", "survey.with_tables(gather={\"zeros\": \"recorded\"})"),
    python("window.margin, window.depth or both", "margin, depth or both"),
    python("once rtm.mute", "once mute"),
    python("gradient.of, illumination", "of, illumination"),
    python("of gradient.observed", "of observed"),
    python("boundary.sides = \"cpml\"", "boundary={\"sides\": {\"kind\": \"cpml\"}}"),
    python("rtm.angles", "angles"),
    python("rtm.offsets", "offsets"),
    python("or take huygens rtm", "or take huygens.rtm"),
    python(
        "give model.anisotropy = \"elliptical-where-needed\", which lowers delta to epsilon at such nodes, or another delta",
        "give a delta up to epsilon, such as np.minimum(delta, epsilon)",
    ),
    python("step = ", "step="),
    python("dispersion = ", "dispersion="),
    python("peak_hz = ", "peak_hz="),
    model(
        "axes = \"xz\" (z fastest, [x][z]) or \"zx\", \"yxz\" or another order of the three in 3-D, or --axes on the command line",
        "--axes, slowest first: xz (z fastest) or zx, in 3-D yxz or any other order of the three",
        "axes=\"xz\" (z fastest, [x][z]) or \"zx\", \"yxz\" or another order of the three in 3-D",
    ),
    python("axes = ", "axes="),
    model("array = ", "--array ", "array="),
    python("order = ", "operator[\"order\"] = "),
    python("wing = ", "operator[\"wing\"] = "),
    python("kind = \"zero\"", "boundary={\"sides\": {\"kind\": \"zero\"}}"),
    python("top = \"zero\"", "boundary={\"top\": \"zero\"}"),
    python("rtm.memory", "memory="),
    python("rtm.wavefield", "wavefield="),
    python("rtm.interval", "interval="),
    python("rtm.direct", "direct="),
    python("locate.apart", "apart="),
    python("--delay", "delay="),
    python("--mask", "mask="),
    python("--sources", "sources="),
    python("give velocity, or --model on the command line", "give a huygens.Model, or the name of one"),
    python("goes behind --model, or into a job", "is read by huygens.Model.read"),
    python("gather under [locate], or --gather on the command line", "a huygens.Gather, or locate={\"gather\": ...}"),
    python(", or --axes on the command line", ""),
    model(
        "give spacing = { z = ..., x = ... } in metres, with y in 3-D, or on the command line --spacing, or --file-spacing of `huygens model`",
        "give --file-spacing, metres between the file's nodes: one number, or z=..., x=... and in 3-D y=...",
        "give spacing=, metres: one number, or those of x and z, in 3-D of x, y and z",
    ),
    model("correct it with --file-spacing of that", "correct it with --file-spacing", "read its array and give a huygens.Model the right spacing"),
    model("sample_interval = \"mm\", \"cm\", \"m\" or \"ft\", or --sample-interval of `huygens model`", "--sample-interval mm, cm, m or ft",
        "model={\"sample_interval\": ...} of a job"),
    model("segy = { iline = ..., xline = ..., cdp_x = ..., cdp_y = ... }, or --segy on the command line",
        "--segy iline=...,xline=...,cdp_x=...,cdp_y=...", "segy="),
    model("nodes = { z = ..., x = ... }, with y in 3-D, or --nodes of `huygens model`", "--nodes z=...,x=..., with y in 3-D",
        "model={\"nodes\": ...} of a job"),
    model(", or --array of `huygens model`", "", ""),
    model("--unit of `huygens model`", "--unit", "unit="),
    python("convert it first with `huygens model convert --unit`", "read it with unit="),
    python("convert it first with `huygens model convert --unit ", "read it with `unit="),
    python("`--unit ", "`unit="),
    python(" with `huygens model convert --spacing`", ""),
    python("filter the traces with `huygens gather filter --high-cut ", "low-pass the traces, Hz: `"),
    python("[receivers]", "receivers"),
    python("[window]", "window="),
];

impl Names {
    /// The message with these names of settings.
    pub fn translate(self, message: &str) -> String {
        let (mut translated, mut rest) = (String::new(), message);
        while let Some(next) = rest.chars().next() {
            let before = message[..message.len() - rest.len()].chars().next_back();
            let found = SETTINGS.iter().find_map(|setting| {
                let after = rest.strip_prefix(setting.key)?;
                let is_whole = !joins(before, setting.key.chars().next())
                    && !joins(setting.key.chars().next_back(), after.chars().next());
                Some((self.name(setting)?, after)).filter(|_| is_whole)
            });
            rest = match found {
                Some((name, after)) => {
                    translated.push_str(name);
                    self.set_value(after, &mut translated)
                }
                None => {
                    translated.push(next);
                    &rest[next.len_utf8()..]
                }
            };
        }
        translated
    }

    fn name(self, setting: &Setting) -> Option<&'static str> {
        match self {
            Names::Gather => setting.gather,
            Names::Model => setting.model,
            Names::Python => Some(setting.keyword),
        }
    }

    /// Writes the value that follows a key as ` = VALUE`; returns what is left of the text.
    fn set_value<'a>(self, after: &'a str, translated: &mut String) -> &'a str {
        let Some(value) = after.strip_prefix(" = ") else { return after };
        if self == Names::Python {
            return value;
        }
        let (list, rest) = value.split_at(value.find(']').map_or(0, |end| end + 1));
        translated.push(' ');
        translated.extend(list.chars().filter(|c| !"[]\" ".contains(*c)));
        rest
    }
}

/// Whether two characters belong to one word, so that a name does not begin or end between them.
fn joins(left: Option<char>, right: Option<char>) -> bool {
    let is_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_-".contains(c));
    is_of_word(right) && (is_of_word(left) || left.is_some_and(|c| "./\\".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_names_of_who_says_them() {
        for (message, gather, python) in [
            (
                "trace 7 is NaN; leave it out with gather.kill = [7, 12]",
                "trace 7 is NaN; leave it out with --kill 7,12",
                "trace 7 is NaN; leave it out with kill=[7, 12]",
            ),
            (
                "give gather.start, seconds after the shot",
                "give --start, seconds after the shot",
                "give start=, seconds after the shot",
            ),
            (
                "is there: a/gather.unit, my-gather.unit.sgy",
                "is there: a/gather.unit, my-gather.unit.sgy",
                "is there: a/gather.unit, my-gather.unit.sgy",
            ),
            (
                "use a smaller model, or --backend cpu",
                "use a smaller model, or --backend cpu",
                "use a smaller model, or engine=\"cpu\"",
            ),
            (
                "choose rtm.wavefield = \"auto\", or order = 8",
                "choose rtm.wavefield = \"auto\", or order = 8",
                "choose wavefield=\"auto\", or operator[\"order\"] = 8",
            ),
            (
                "convert it first with `huygens model convert --unit km/s` or `--unit s/km`",
                "convert it first with `huygens model convert --unit km/s` or `--unit s/km`",
                "read it with `unit=km/s` or `unit=s/km`",
            ),
        ] {
            assert_eq!(Names::Gather.translate(message), gather);
            assert_eq!(Names::Python.translate(message), python);
        }
        for (message, model) in [
            (
                "a raw file does not say how many nodes it has; give nodes = { z = ..., x = ... }, with y in 3-D, or \
                 --nodes of `huygens model`",
                "a raw file does not say how many nodes it has; give --nodes z=...,x=..., with y in 3-D",
            ),
            (
                "in \"s\"; say which it is with --unit of `huygens model`",
                "in \"s\"; say which it is with --unit",
            ),
        ] {
            assert_eq!(Names::Model.translate(message), model);
        }
    }
}
