//! What stands for what: the table of cargo-mutants.

use syn::{GenericArgument, PathArguments, ReturnType, Type, TypePath};

/// The operators that are tried for one. Those of assignments have no `=` here.
pub(crate) fn operators(operator: &str) -> &'static [&'static str] {
    match operator {
        "+" => &["-", "*"],
        "-" => &["+", "/"],
        "*" => &["+", "/"],
        "/" => &["%", "*"],
        "%" => &["/", "+"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["&", "|"],
        "==" => &["!="],
        "!=" => &["=="],
        "<" => &["==", ">", "<="],
        ">" => &["==", "<", ">="],
        "<=" => &[">"],
        ">=" => &["<"],
        "&&" => &["||"],
        "||" => &["&&"],
        _ => &[],
    }
}

/// Values that a body of this type may have instead of its own.
pub(crate) fn values(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".into()],
        ReturnType::Type(_, of) => values_of(of),
    }
}

fn values_of(of: &Type) -> Vec<String> {
    match of {
        Type::Path(path) => values_of_path(path),
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec!["()".into()],
        Type::Tuple(tuple) => {
            // The first values together, the second ones together, and so on.
            let each = tuple.elems.iter().map(values_of).collect::<Vec<_>>();
            let most = each.iter().map(Vec::len).max().unwrap_or(0);
            let row = |i: usize| each.iter().map(|values| values.get(i).or(values.last()).cloned()).collect::<Option<Vec<_>>>();
            (0..most).filter_map(row).map(|values| format!("({},)", values.join(", "))).collect()
        }
        Type::Array(array) => {
            values_of(&array.elem).into_iter().map(|value| format!("::std::array::from_fn(|_| {value})")).collect()
        }
        Type::Paren(inner) => values_of(&inner.elem),
        // References, pointers, `impl Trait` and `!`.
        _ => Vec::new(),
    }
}

fn values_of_path(path: &TypePath) -> Vec<String> {
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let inner = |position: usize| match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            let mut types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(of) => Some(of),
                _ => None,
            });
            types.nth(position).map(values_of).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let with =
        |before: &str, values: Vec<String>| values.into_iter().map(|value| format!("{before}({value})")).collect::<Vec<_>>();
    let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    match last.ident.to_string().as_str() {
        "bool" => list(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => list(&["0", "1"]),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => list(&["0", "1", "-1"]),
        "f32" | "f64" => list(&["0.0", "1.0", "-1.0"]),
        "String" => list(&["String::new()", "\"xyzzy\".into()"]),
        "Option" => [list(&["None"]), with("Some", inner(0))].concat(),
        "Result" => with("Ok", inner(0)),
        "Box" => with("Box::new", inner(0)),
        "Vec" => [list(&["Vec::new()"]), inner(0).into_iter().map(|value| format!("vec![{value}]")).collect()].concat(),
        _ => list(&["Default::default()"]),
    }
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_fit_the_type() {
        let of = |text: &str| values(&syn::parse_str(text).expect("a return type"));
        assert_eq!(of("-> bool"), ["true", "false"]);
        assert_eq!(of("-> Option<(u32, bool)>"), ["None", "Some((0, true,))", "Some((1, false,))"]);
        assert_eq!(of("-> Result<(), E>"), ["Ok(())"]);
        assert_eq!(of("-> &mut T"), [""; 0]);
    }
}
