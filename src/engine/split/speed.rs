//! Weights for unlike engines, by measured speed.

use super::{Split, run::each};
use crate::{
    DeviceFailure::{Lost, Silent},
    Engine, EngineError,
    plan::Plan,
    remedy::Message,
    share::{Alone, Share},
};
use std::{iter::zip, mem, sync::Arc};
use web_time::{Duration, Instant};

/// Steps that a device takes to wake up.
const WARM_UP: usize = 2;
/// Duration of each engine's measurement.
const LONG: Duration = Duration::from_millis(300);

impl Split {
    /// Splits Plans like this one by speed. Unless the engines are of one kind, each steps an equal
    /// share for a moment, all at the same time, and its speed becomes its weight.
    ///
    /// # Errors
    ///
    /// If there are more engines than the Plan can be split over, or a device cannot hold an equal
    /// share.
    pub fn by_speed(engines: Vec<Box<dyn Engine>>, plan: &Plan) -> Result<Self, EngineError> {
        let alike = engines.windows(2).all(|two| two[0].describe() == two[1].describe());
        let split = Split::new(engines, &[])?;
        if alike {
            return Ok(split);
        }
        let plan = Plan { taps: Vec::new(), ..plan.batch(0..plan.set_size()) };
        let shares = split.cut.shares(&plan)?;
        let measured = each(zip(split.engines, shares), |_, (engine, share)| {
            match speed(engine.as_ref(), share.clone()) {
                Err(error) if matches!(error.of_device(), Some(Lost | Silent)) => {
                    let anew = engine.reopened().unwrap_or_else(|why| {
                        tracing::warn!("{why}");
                        None
                    });
                    if error.of_device() == Some(Silent) {
                        // Never dropped, for its end would be waited for.
                        mem::forget(engine);
                    }
                    let Some(anew) = anew else { return Err(error) };
                    let anew: Arc<dyn Engine> = anew.into();
                    tracing::warn!("{}; it is opened anew", Message::from(error).mistake());
                    Ok((speed(anew.as_ref(), share)?, anew))
                }
                speed => Ok((speed?, engine)),
            }
        })?;
        let (speeds, engines): (Vec<_>, Vec<_>) = measured.into_iter().unzip();
        tracing::debug!(?speeds, "pieces a second of each engine");
        Split::over(engines, &speeds)
    }
}

/// Pieces a second of a share.
fn speed(engine: &dyn Engine, share: Share) -> Result<f64, EngineError> {
    let (pieces, all) = (share.pieces.len(), share.plan.time.steps);
    let mut run = engine.start_share(share, None)?;
    let mut alone = Alone::default();
    run.advance(WARM_UP, &mut alone, &mut ())?;
    let (began, first, mut more) = (Instant::now(), run.step(), 1);
    while began.elapsed() < LONG && run.step() < all {
        run.advance(more, &mut alone, &mut ())?;
        more *= 2;
    }
    let updated = pieces * (run.step() - first).max(1);
    Ok(updated as f64 / began.elapsed().as_secs_f64().max(1e-9))
}
