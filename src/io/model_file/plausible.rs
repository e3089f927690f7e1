//! Checks whether values look like velocities.

/// Slowest and fastest velocity of rocks and water, m/s, with room: loose soil and the deepest mantle.
const ROCKS: (f32, f32) = (100.0, 14_000.0);

/// Rocks of the crust are slower, m/s; those of the deep mantle are faster, and so are numbers of ft/s.
const CRUST: f32 = 9000.0;
/// The fastest that is taken for rocks of the crust in ft/s.
const CRUST_IN_FEET: f32 = 25_000.0;
/// Slowness of rocks, sediments and water, s/km, and its square in s2/km2: few models are as slow throughout in km/s.
const SLOWNESS: (f32, f32) = (0.005, 1.4);
/// Some rock is faster in km/s; slowness in s/km has values below this and above.
const FAST: f32 = 1.0;
/// Slowness in s/m.
const SLOWNESS_IN_METRES: (f32, f32) = (7e-5, 0.005);
/// Velocities of air, water and rocks in cm/s.
const IN_CENTIMETRES: (f32, f32) = (25_000.0, 1_400_000.0);

/// Waves in any medium are faster, m/s: those in soft soil have 50.
const SLOWEST: f32 = 20.0;
/// No medium is faster, m/s: diamond has 18000.
const FASTEST: f32 = 50_000.0;

/// The likely kind of a range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plausible {
    /// Velocities in m/s.
    Yes,
    /// Velocities in ft/s, or in m/s of the mantle.
    FeetASecond,
    /// Velocities in km/s.
    KilometresASecond,
    /// Velocities in km/s of slow media, or slowness in s/km.
    KilometresOrSlowness,
    /// Velocities in cm/s.
    CentimetresASecond,
    /// Slowness in s/km, or its square in s2/km2.
    Slowness,
    /// Slowness in s/m.
    SlownessInMetres,
    /// Values of both signs: a gather, a wavelet or a wavefield.
    Signed,
    /// Not a medium for waves.
    No,
}

impl Plausible {
    /// The likely kind of values from `least` to `most`. Slow velocities in ft/s look like those in m/s.
    pub fn of(least: f32, most: f32) -> Self {
        let within = |(from, to): (f32, f32)| least >= from && most <= to;
        if within((ROCKS.0 / 0.3048, CRUST_IN_FEET)) && most > CRUST {
            Plausible::FeetASecond
        } else if within(ROCKS) {
            Plausible::Yes
        } else if within(SLOWNESS) {
            Plausible::Slowness
        } else if within(SLOWNESS_IN_METRES) {
            Plausible::SlownessInMetres
        } else if within((1e-3 * ROCKS.0, 1e-3 * ROCKS.1)) {
            match least < FAST && most < 1e-3 * CRUST {
                true => Plausible::KilometresOrSlowness,
                false => Plausible::KilometresASecond,
            }
        } else if within(IN_CENTIMETRES) {
            Plausible::CentimetresASecond
        } else if least < 0.0 && most > 0.0 {
            Plausible::Signed
        } else {
            Plausible::No
        }
    }

    /// True if no medium for waves has velocities from `least` to `most` m/s.
    pub fn is_impossible(least: f32, most: f32) -> bool {
        !(SLOWEST..=FASTEST).contains(&most) || least > IN_CENTIMETRES.0
    }

    /// True if they look like velocities or slownesses in another unit than m/s.
    pub fn is_of_another_unit(self) -> bool {
        !matches!(self, Plausible::Yes | Plausible::Signed | Plausible::No)
    }
}

impl Plausible {
    /// The conversion from the units in which these may be, if those are others than m/s.
    pub fn remedy(self) -> Option<String> {
        let (_, units) = self.quantity();
        let (first, others) = units.split_first()?;
        let others = others.iter().map(|unit| format!(" or `--unit {unit}`"));
        let convert = format!("convert it first with `huygens model convert --unit {first}`");
        Some([convert].into_iter().chain(others).collect())
    }

    /// What these may be, with the units if those are others than m/s.
    pub fn quantity(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Plausible::FeetASecond => ("velocities in ft/s, or of the mantle in m/s", &["ft/s"]),
            Plausible::KilometresASecond => ("velocities in km/s", &["km/s"]),
            Plausible::KilometresOrSlowness => {
                ("velocities in km/s or slowness in s/km", &["km/s", "s/km"])
            }
            Plausible::CentimetresASecond => ("velocities in cm/s", &["cm/s"]),
            Plausible::Slowness => {
                ("slowness in s/km or its square in s2/km2", &["s/km", "s2/km2"])
            }
            Plausible::SlownessInMetres => ("slowness in s/m", &["s/m"]),
            Plausible::Yes => ("plausible velocities in m/s", &[]),
            Plausible::Signed => {
                ("no velocities: values of both signs, as in a gather or a section", &[])
            }
            Plausible::No => (Plausible::No.words(), &[]),
        }
    }

    /// What they look like.
    pub fn words(self) -> &'static str {
        match self {
            Plausible::Yes => "plausible velocities in m/s",
            Plausible::FeetASecond => "rocks of the crust are slower: these may be ft/s",
            Plausible::KilometresASecond => "these look like km/s",
            Plausible::KilometresOrSlowness => "these look like km/s, or slowness in s/km",
            Plausible::CentimetresASecond => "these look like cm/s",
            Plausible::Slowness => "these look like slowness in s/km, or its square in s2/km2",
            Plausible::SlownessInMetres => "these look like slowness in s/m",
            Plausible::Signed => {
                "no velocities: values of both signs, as in a gather, a wavelet or a wavefield"
            }
            Plausible::No => "no velocities in m/s: those of rocks and water are from 100 to 14000",
        }
    }
}

impl std::fmt::Display for Plausible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())?;
        self.remedy().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_judged() {
        for ((least, most), wanted) in [
            ((1500.0, 4500.0), Plausible::Yes),
            ((1500.0, 8500.0), Plausible::Yes),
            ((4921.0, 14_700.0), Plausible::FeetASecond),
            ((1.5, 4.5), Plausible::KilometresASecond),
            ((0.3, 4.5), Plausible::KilometresOrSlowness),
            ((1.0 / 3.5, 1.0 / 0.4), Plausible::KilometresOrSlowness),
            ((33_000.0, 33_000.0), Plausible::CentimetresASecond),
            ((148_000.0, 450_000.0), Plausible::CentimetresASecond),
            ((1.0 / 4.5, 1.0 / 0.8), Plausible::Slowness),
            ((1.0 / 4.5, 1.0 / 1.5), Plausible::Slowness),
            ((1.0 / 20.25, 1.0 / 2.25), Plausible::Slowness),
            ((1.0 / 4500.0, 1.0 / 1500.0), Plausible::SlownessInMetres),
            ((-1500.0, 4500.0), Plausible::Signed),
        ] {
            assert_eq!(Plausible::of(least, most), wanted, "{least} {most}");
        }
        for (least, most) in [(0.0, 4500.0), (1500.0, 45e3), (f32::NAN, f32::NAN)] {
            assert_eq!(Plausible::of(least, most), Plausible::No, "{least} {most}");
        }
        // Soft soil, air, water beside air, steel, diamond, and rocks in ft/s are possible.
        for (least, most) in [
            (50.0, 50.0),
            (330.0, 330.0),
            (330.0, 1500.0),
            (1480.0, 6400.0),
            (18e3, 18e3),
            (5e3, 24e3),
        ] {
            assert!(!Plausible::is_impossible(least, most), "{least} {most}");
        }
        for (least, most) in [(1.5, 4.5), (0.02, 0.44), (33e3, 33e3), (148e3, 450e3), (1500.0, 1e5)]
        {
            assert!(Plausible::is_impossible(least, most), "{least} {most}");
        }
        let said = Plausible::Slowness.to_string();
        assert!(said.contains("s/km") && said.contains("s2/km2"), "{said}");
    }
}
