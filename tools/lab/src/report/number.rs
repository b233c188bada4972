//! Numbers as people read them.

/// `1234567` as `1 234 567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Three significant digits, or all that stand before the point.
pub(crate) fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => grouped_or_plain(number),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 1.0 => format!("{number:.2}"),
        size if size >= 0.0005 => format!("{number:.3}"),
        _ => format!("{number:.1e}"),
    }
}

fn grouped_or_plain(number: f64) -> String {
    if (0.0..1e15).contains(&number) { grouped(number.round() as u64) } else { format!("{number:.2e}") }
}

/// A bar whose full width stands for 1.
pub(crate) fn bar(share: f64, width: usize) -> String {
    "#".repeat((share * width as f64).round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        for (number, text) in [(0, "0"), (12, "12"), (123, "123"), (1_234, "1 234"), (1_000_000, "1 000 000")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn short_numbers() {
        for (number, text) in [
            (0.0, "0"),
            (0.012_34, "0.012"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (123.4, "123"),
            (12_345.6, "12 346"),
            (1e30, "1.00e30"),
        ] {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn bars() {
        assert_eq!(bar(0.5, 8), "####");
        assert_eq!(bar(0.0, 8), "");
    }
}
