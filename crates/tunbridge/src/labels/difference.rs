//! What changed between two models of labels: which beliefs moved, label by label.

use learn::BinaryRelevance;

use super::change::align;
use super::model::LabelsModel;
use crate::{Believed, Difference, Error, Moved, Value};

/// Compares two models of labels over the same columns: how frequent each label is, and what is believed of rows that have it.
///
/// # Errors
/// When they were not counted alike.
pub fn difference(a: &LabelsModel, b: &LabelsModel) -> Result<Difference, Error> {
    let (before, after) = align(a.parts().clone(), b.parts().clone())?;
    let [old, new] = [LabelsModel::from_parts(before)?, LabelsModel::from_parts(after)?];
    let mut moved = Vec::new();
    for (label, name) in old.labels().iter().enumerate() {
        let [x, y] = [&old, &new].map(|model| model.posterior().models()[label].ln_class_prior()[BinaryRelevance::YES]);
        moved.push(Moved {
            variable: old.target().into(),
            what: Believed::Probability(Value::State(name.clone())),
            given: None,
            parent: None,
            before: Some(x.exp()),
            after: Some(y.exp()),
            moved: Some((x - y).abs()),
        });
        // Of a label that no row has, or every one, nothing more is believed.
        if let (Ok(x), Ok(y)) = (old.of_label(label), new.of_label(label)) {
            let of_label = crate::difference(&x, &y)?.moved.into_iter();
            let with_it = of_label.filter(|moved| moved.given.as_deref() == Some(BinaryRelevance::CLASSES[BinaryRelevance::YES]));
            moved.extend(with_it.map(|moved| Moved { given: Some(name.clone()), ..moved }));
        }
    }
    // Two impossible labels have not moved, though infinities have no difference.
    moved.retain(Moved::has_moved);
    moved.sort_by(|p, q| q.moved.unwrap_or(f64::INFINITY).total_cmp(&p.moved.unwrap_or(f64::INFINITY)));
    Ok(Difference {
        rows: [a, b].map(|model| model.statistic().n_rows()),
        priors: (a.prior() != b.prior()).then(|| [a, b].map(LabelsModel::prior_words)),
        calibrations: None,
        n_moved: moved.len(),
        moved,
    })
}
