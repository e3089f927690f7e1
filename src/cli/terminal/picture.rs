//! Pictures that a command writes by itself, and their metadata.

use super::{progress::tell, shell::command};
use crate::{
    cli::failure::Failure,
    io::{
        folder::OutputFolder,
        png::{self, About},
        whole,
    },
    job::PictureFormat,
    render::{Figure, FigureSize},
    results::encoded,
};
use std::path::Path;

/// Checks that a picture can be written to a file.
pub(crate) fn may_write(out: &Path, force: bool) -> Result<(), Failure> {
    if PictureFormat::of(out).is_none() {
        let message = format!("{} is no .png, .svg or .pdf; name the picture so", out.display());
        return Err(Failure::input(message));
    }
    Ok(whole::may_write(out, force)?)
}

/// Writes a figure to a file, in the format of its name.
pub(crate) fn save(
    out: &Path,
    figure: &dyn Figure,
    size: FigureSize,
    force: bool,
) -> Result<(), Failure> {
    let drawing = figure.drawing(size).map_err(|error| Failure::input(error.to_string()))?;
    let format = PictureFormat::of(out).unwrap_or(PictureFormat::Png);
    whole::write(out, &encoded(&drawing, format, &about(figure.title(), size)), force)?;
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
