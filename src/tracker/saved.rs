//! Saving and restoring data of pairs.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::core::Core;
use super::data::DataMap;
use super::kinds::PairKind;

/// A sequence of pairs and data, in ascending order of the pairs.
impl<P: PairKind, T: Default + Send + Serialize> Serialize for DataMap<P, T>
where
    P::Keys: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, P: PairKind, T: Default + Send + Deserialize<'de>> Deserialize<'de> for DataMap<P, T>
where
    P::Keys: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries: Vec<(P::Keys, T)> = Vec::deserialize(deserializer)?;
        if !entries.is_sorted_by(|one, next| one.0 < next.0) {
            return Err(D::Error::custom("not a map of pairs: the pairs are not in ascending order"));
        }
        if entries.iter().any(|(pair, _)| P::in_order(*pair) != Some(*pair)) {
            return Err(D::Error::custom("not a map of pairs: two keys are equal, or the larger one comes first"));
        }
        let (pairs, values) = entries.into_iter().unzip();
        Ok(DataMap { core: Core::with_entries(values, pairs) })
    }
}
