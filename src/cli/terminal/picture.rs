//! Pictures that a command writes by itself, and their metadata.

use super::{progress::tell, shell::command};
use crate::{
    cli::failure::Failure,
    io::{
        folder::OutputFolder,
        pdf,
        png::{self, About},
        svg, whole,
    },
    render::{Figure, FigureSize},
};
use std::path::Path;

/// Checks that a picture can be written to a file.
pub(crate) fn may_write(out: &Path, force: bool) -> Result<(), Failure> {
    if Ending::of(out).is_none() {
        let message = format!("{} is no .png, .svg or .pdf; name the picture so", out.display());
        return Err(Failure::input(message));
    }
    Ok(whole::may_write(out, force)?)
}

/// The formats of pictures.
#[derive(Clone, Copy)]
enum Ending {
    Png,
    Svg,
    Pdf,
}

impl Ending {
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "png" => Some(Ending::Png),
            "svg" => Some(Ending::Svg),
            "pdf" => Some(Ending::Pdf),
            _ => None,
        }
    }
}

/// Writes a figure to a file, in the format of its name.
pub(crate) fn save(
    out: &Path,
    figure: &dyn Figure,
    size: FigureSize,
    force: bool,
) -> Result<(), Failure> {
    let drawing = figure.drawing(size).map_err(|error| Failure::input(error.to_string()))?;
    let about = about(figure.title(), size);
    let bytes = match Ending::of(out) {
        Some(Ending::Svg) => svg::bytes(&drawing.vector(), &about),
        Some(Ending::Pdf) => pdf::bytes(&drawing.vector(), &about),
        _ => png::bytes(&drawing.picture(), &about),
    };
    whole::write(out, &bytes, force)?;
    tell(format_args!("{} is written", out.display()));
    Ok(())
}

/// The metadata of a picture of this command.
fn about(title: &str, size: FigureSize) -> About {
    About { title: title.to_owned(), command: command(), job: None, dpi: size.dpi() }
}

/// Writes a picture to a folder.
pub(crate) fn write(
    folder: &OutputFolder,
    name: &str,
    figure: &dyn Figure,
    size: FigureSize,
) -> Result<(), Failure> {
    let picture = figure.draw(size).map_err(Failure::run)?;
    Ok(folder.write(name, &png::bytes(&picture, &about(figure.title(), size)))?)
}
