//! Doubts about the chosen model of a scan.

use super::Tried;
use crate::operations::locate::{Doubt, FEWEST_TRACES, LEAST_EXPLAINED};

impl Tried {
    /// Doubts about the model at index `best` of those tried, the first `factors` of which are of a
    /// range of factors; `traces` traces recorded a signal.
    pub(crate) fn doubts(all: &[Tried], best: usize, factors: usize, traces: usize) -> Vec<Doubt> {
        let models = all.len();
        let few = (traces < FEWEST_TRACES).then_some(Doubt::FewTraces { traces });
        let count = all.iter().filter(|tried| !tried.is_a_peak()).count();
        let unjudged = (1..models).contains(&count).then_some(Doubt::Unjudged { count, models });
        let at_an_end = factors > 1 && best < factors && (best == 0 || best + 1 == factors);
        let at_an_end = at_an_end.then(|| Doubt::AtAnEnd { model: all[best].model.clone() });
        let each = [few, unjudged, all[best].unexplained(), ambiguous(all, factors), at_an_end];
        each.into_iter().flatten().collect()
    }

    /// The doubt that it leaves much of the recording unexplained.
    fn unexplained(&self) -> Option<Doubt> {
        let fit = self.fit.filter(|fit| fit.explained < LEAST_EXPLAINED)?;
        let (model, part) = (self.model.clone(), 100.0 * fit.explained);
        Some(Doubt::Unexplained { model, part })
    }
}

/// Several models that do as well as the best.
fn ambiguous(all: &[Tried], factors: usize) -> Option<Doubt> {
    let good: Vec<&Tried> = all.iter().filter(|tried| tried.is_as_good()).collect();
    let [low, .., high] = good[..] else { return None };
    let depths = good.iter().filter_map(|tried| tried.fit).map(|fit| fit.at.z);
    let (top, bottom) = depths
        .fold((f64::INFINITY, 0.0), |(top, bottom): (f64, f64), z| (top.min(z), bottom.max(z)));
    let mut rows = all[..factors.min(all.len())].split(|tried| !tried.is_as_good());
    let which = match rows.any(|row| row.len() == good.len()) {
        true => format!("from {} to {}", low.model, high.model),
        false => good.iter().map(|tried| tried.model.as_str()).collect::<Vec<_>>().join(", "),
    };
    Some(Doubt::Ambiguous { good: good.len(), models: all.len(), which, top, bottom })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Position,
        operations::locate::{Sharpness, files::report::Fitted},
    };

    fn tried(explained: f64) -> Tried {
        let fit = Fitted {
            at: Position::default(),
            time: 0.0,
            explained,
            deviations: 0.0,
            as_good: false,
        };
        Tried {
            model: "slow".into(),
            strength: Some(1.0),
            at_the_receivers: false,
            fit: Some(fit),
            sharpness: Sharpness { largest: 1.0, over_rms: 1.0, kurtosis: 1.0 },
            found: None,
        }
    }

    #[test]
    fn a_best_model_that_explains_little_is_doubted() {
        let said = |best: f64| {
            let doubts = Tried::doubts(&[tried(best), tried(0.1)], 0, 0, 100);
            doubts.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(said(0.76), [""; 0]);
        let said = said(0.6);
        assert!(said.len() == 1 && said[0].contains("explains only 60 %"), "{said:?}");
    }
}
