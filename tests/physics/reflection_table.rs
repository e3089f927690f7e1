//! The reflection of layers of any width, at any angle and frequency: the tables and pictures of
//! docs/accuracy.md. Too long for every day; `cargo xtask figures accuracy` runs it.

use crate::{
    common::figures::cell,
    reflection::{CONTRASTS, Scene, cpml, decibels, sponge},
};
use huygens::{
    boundary::{Absorber, Cpml},
    engine::cpu::Parallel,
    io::png::{self, About},
    render::{Across, Curve, CurveFigure, FigureSize, Line},
};
use std::path::Path;

const WIDTHS: [usize; 6] = [5, 10, 15, 20, 30, 40];
const ANGLES: [f64; 4] = [0.0, 30.0, 60.0, 75.0];
const POINTS: [usize; 4] = [6, 10, 20, 40];
const TARGETS: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

#[test]
#[ignore = "minutes; cargo xtask figures accuracy runs it"]
fn by_width() {
    let scenes = WIDTHS.map(|cells| (cells, ANGLES.map(|angle| Scene::new(angle, cells))));
    let curves = curves("absorption by width", "cells", &scenes);
    draw(
        "absorption.png",
        "What an absorbing layer sends back",
        "10 points per wavelength, default strengths; 0 dB is what a wall sends back",
        ("Width of the layer (cells)", Across::Linear),
        curves,
    );
}

#[test]
#[ignore = "minutes; cargo xtask figures accuracy runs it"]
fn by_frequency() {
    let of = |points| {
        move |angle| Scene { points, distance: 3 * points.max(10), ..Scene::new(angle, 20) }
    };
    let scenes = POINTS.map(|points| (points, ANGLES.map(of(points))));
    let curves = curves("absorption by frequency", "points", &scenes);
    draw(
        "absorption-frequency.png",
        "What 20 cells of an absorbing layer send back",
        "default strengths; 0 dB is what a wall sends back",
        ("Points per wavelength at the peak frequency (log)", Across::Log2),
        curves,
    );
}

/// A layer by its number of cells.
type Layer = fn(usize) -> Absorber;

/// Prints a line a scene and gives a curve for every kind of layer and angle.
fn curves(table: &str, unit: &str, scenes: &[(usize, [Scene; 4])]) -> Vec<Curve> {
    let kinds: [(&str, Layer); 2] = [("CPML", cpml), ("sponge", sponge)];
    let mut curves: Vec<Curve> = kinds
        .iter()
        .flat_map(|(kind, _)| ANGLES.map(|angle| format!("{kind}, {angle}°")))
        .map(|name| {
            let line = if name.starts_with('s') { Line::Dashed } else { Line::Solid };
            Curve { line, name, points: Vec::new() }
        })
        .collect();
    for (at, scenes) in scenes {
        let bare = scenes.map(|scene| (scene, scene.bare(&Parallel)));
        let layers = kinds.iter().flat_map(|(_, layer)| bare.iter().map(move |bare| (layer, bare)));
        for (curve, (layer, (scene, bare))) in curves.iter_mut().zip(layers) {
            let reflected = scene.reflected(&Parallel, bare, layer(scene.cells));
            cell(table, &format!("{at} {unit}"), &curve.name, &decibels(reflected));
            curve.points.push((*at as f64, reflected));
        }
    }
    curves
}

/// The effect of faster rock elsewhere on the layer beside slow rock, and at wide angles.
#[test]
#[ignore = "minutes; cargo xtask figures accuracy runs it"]
fn by_contrast() {
    for cells in WIDTHS {
        for angle in [0.0, 60.0] {
            for contrast in CONTRASTS {
                let scene = Scene { contrast, ..Scene::new(angle, cells) };
                let bare = scene.bare(&Parallel);
                let reflected = scene.reflected(&Parallel, &bare, cpml(cells));
                let column = format!("{contrast} times, {angle}°");
                let value = decibels(reflected);
                cell("absorption by contrast", &format!("{cells} cells"), &column, &value);
            }
        }
    }
}

/// The choice of the CPML's target reflection: wide layers, a thin one, short and long waves.
#[test]
#[ignore = "minutes; cargo xtask figures accuracy runs it"]
fn by_target() {
    let wide = ANGLES.map(|angle| (format!("20 cells, {angle}°"), Scene::new(angle, 20)));
    let thin = ("10 cells, 0°".into(), Scene::new(0.0, 10));
    let long = Scene { points: 40, distance: 120, ..Scene::new(0.0, 20) };
    let long = ("20 cells, 0°, 40 points".into(), long);
    let short = Scene { points: 6, ..Scene::new(0.0, 20) };
    let short = ("20 cells, 0°, 6 points".into(), short);
    for (name, scene) in wide.into_iter().chain([thin, short, long]) {
        let bare = scene.bare(&Parallel);
        for reflection in TARGETS {
            let layer = Absorber::Cpml(Cpml { reflection, ..Cpml::new(scene.cells) });
            let reflected = scene.reflected(&Parallel, &bare, layer);
            cell("absorption by target", &format!("{reflection:e}"), &name, &decibels(reflected));
        }
    }
}

/// A picture in the folder that `HUYGENS_FIGURES` names, where it names one.
fn draw(
    file: &str,
    title: &str,
    subtitle: &str,
    (across, ticks): (&str, Across),
    curves: Vec<Curve>,
) {
    let figure = CurveFigure {
        title: title.into(),
        subtitle: subtitle.into(),
        across: across.into(),
        up: "Reflected energy (dB)".into(),
        ticks,
        curves,
        ..CurveFigure::default()
    };
    let image = figure.draw(FigureSize::default()).expect("figures that can be drawn");
    if let Some(folder) = std::env::var_os("HUYGENS_FIGURES") {
        let folder = Path::new(&folder);
        std::fs::create_dir_all(folder).expect("a folder for the pictures");
        let bytes = png::bytes(&image, &About::default());
        std::fs::write(folder.join(file), bytes).expect("a picture is written");
    }
}
