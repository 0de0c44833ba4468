//! What lies beyond the ends of a line: next to nothing, or mass without bound.

use crate::Support;
use crate::quadrature::Integral;

/// How much mass may lie beyond the ends of a support's line; or the end toward which the mass does not fall off.
///
/// The line ends where doubles do. If the outermost piece reaches that end, the density there and an e-fold before tell how fast
/// the mass falls off, and so how much of it lies beyond.
pub(super) fn beyond<T>(support: Support, integral: &Integral<T>, density: &mut dyn FnMut(f64) -> f64) -> Result<f64, f64> {
    let line = support.line();
    let ends = [integral.pieces.first().map(|piece| (piece.low, 1.0)), integral.pieces.last().map(|piece| (piece.high, -1.0))];
    let on_real_line = !support.low().is_finite() && !support.high().is_finite();
    let mut beyond = 0.0;
    // A piece too short for a double may be missing at the very end.
    let near = if on_real_line { 0.5 * line.1 } else { 0.5 };
    for (end, inward) in ends.into_iter().flatten().filter(|(end, _)| *end <= line.0 + near || *end >= line.1 - near) {
        let before = if on_real_line { end / std::f64::consts::E } else { end + inward };
        // The mass of an e-fold: on the whole line that is the density times the distance, on the others the density itself.
        let mut mass_at = |z: f64| density(z) * if on_real_line { z.abs() } else { 1.0 };
        let (last, earlier) = (mass_at(end), mass_at(before));
        if last == 0.0 || last.is_nan() {
            continue;
        }
        let falls = (earlier / last).ln();
        if falls.is_nan() || falls <= 1e-3 {
            let low_end = (inward > 0.0) == support.rises();
            return Err(if low_end { support.low() } else { support.high() });
        }
        // Exact for a power of the distance to the end of a range; twice that, since values there are rounded to the last bit.
        beyond += 2.0 * last / falls;
    }
    Ok(beyond)
}
