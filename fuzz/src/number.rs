//! The two types of coordinates, as far as decoding and oracles need them.

use pivotgrid::Scalar;

pub trait Number: Scalar + Into<f64> + std::ops::Neg<Output = Self> {
    fn of(value: f64) -> Self;
    fn of_bits(bits: u64) -> Self;
    fn up(self) -> Self;
    fn down(self) -> Self;

    /// `None` for what moves nowhere: the inverse is not finite.
    fn inverse(self) -> Option<Self>;

    fn finite(self) -> bool {
        self.into().is_finite()
    }
}

impl Number for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn of_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn up(self) -> f32 {
        self.next_up()
    }
    fn down(self) -> f32 {
        self.next_down()
    }
    fn inverse(self) -> Option<f32> {
        Some(1.0 / self).filter(|inverse| inverse.is_finite())
    }
}

impl Number for f64 {
    fn of(value: f64) -> f64 {
        value
    }
    fn of_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn up(self) -> f64 {
        self.next_up()
    }
    fn down(self) -> f64 {
        self.next_down()
    }
    fn inverse(self) -> Option<f64> {
        Some(1.0 / self).filter(|inverse| inverse.is_finite())
    }
}
