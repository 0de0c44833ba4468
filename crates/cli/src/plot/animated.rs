//! An SVG that moves: one frame after another, by SMIL, without a script. Viewers that do not animate show the last frame.

use std::fmt::Write;

use super::figure::{Figure, Series, Stroke};
use super::svg::{WIDTH, curve, escaped, legend, opening};

/// Frames over the curves that stay.
pub struct Animation {
    /// What stays: the axes, and curves that every frame is seen beside.
    pub ground: Figure,
    /// The name of the curve that moves.
    pub name: String,
    /// Its colour, as of a [`Series`].
    pub colour: usize,
    /// What is said in a frame, and its curve.
    pub frames: Vec<(String, Vec<[f64; 2]>)>,
}

/// Seconds of a frame, for few frames and for many.
const SECONDS: [f64; 2] = [0.5, 0.12];

/// Seconds that the last frame stays before all begins again.
const PAUSE: f64 = 2.5;

/// The animation as a picture of its own.
pub fn animated(animation: &Animation) -> String {
    let ground = &animation.ground;
    let mut text = opening(ground);
    ground.series.iter().for_each(|series| text.push_str(&curve(ground, series)));
    let moving = Series { name: animation.name.clone(), points: Vec::new(), stroke: Stroke::Solid, colour: animation.colour };
    let all: Vec<Series> = ground.series.iter().cloned().chain([moving.clone()]).collect();
    text.push_str(&legend(&all));
    let n = animation.frames.len();
    let each = if n <= 20 { SECONDS[0] } else { SECONDS[1] };
    let whole = each * n as f64 + PAUSE;
    for (place, (caption, points)) in animation.frames.iter().enumerate() {
        let is_last = place + 1 == n;
        let (start, end) = (each * place as f64 / whole, if is_last { 1.0 } else { each * (place + 1) as f64 / whole });
        let (values, times) = match (place, is_last) {
            (0, true) => ("visible".to_string(), "0".to_string()),
            (0, false) => ("visible;hidden".into(), format!("0;{end:.6}")),
            (_, true) => ("hidden;visible".into(), format!("0;{start:.6}")),
            _ => ("hidden;visible;hidden".into(), format!("0;{start:.6};{end:.6}")),
        };
        let still = if is_last { "visible" } else { "hidden" };
        let _ = writeln!(
            text,
            "<g visibility=\"{still}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{whole:.2}s\" \
             repeatCount=\"indefinite\" values=\"{values}\" keyTimes=\"{times}\"/>"
        );
        let series = Series { points: points.clone(), ..moving.clone() };
        text.push_str(&curve(ground, &series));
        let _ = writeln!(text, "<text x=\"{}\" y=\"24\" font-size=\"16\" text-anchor=\"end\">{}</text>", WIDTH - 20.0, escaped(caption));
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_has_its_time_and_the_last_one_is_there_without_any() {
        let frames = (0..3).map(|n| (format!("n = {n}"), vec![[0.0, 0.1], [1.0, 0.3 * f64::from(n)]])).collect();
        let text = animated(&Animation { ground: Figure::default(), name: "posterior".into(), colour: 2, frames });
        assert_eq!(text.matches("<animate ").count(), 3);
        assert_eq!(text.matches("<g visibility=\"visible\">").count(), 1);
        let last = text.rfind("<g visibility").unwrap();
        assert!(text[last..].starts_with("<g visibility=\"visible\">") && text[last..].contains("n = 2"));
    }
}
