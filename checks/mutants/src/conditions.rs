//! Attributes: what is compiled here.

use syn::{Attribute, Meta, punctuated::Punctuated, token::Comma};

/// Whether code with these attributes is compiled into the tree that is tested, and is not a test itself.
pub(crate) fn is_compiled(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| {
        let path = attribute.path();
        if path.is_ident("cfg") { attribute.parse_args().map_or(true, |meta| holds(&meta)) } else { !path.is_ident("test") }
    })
}

/// A `cfg`. That of `test` does not hold: tests have no mutants.
fn holds(condition: &Meta) -> bool {
    let nested = |list: &syn::MetaList| {
        let parsed = list.parse_args_with(Punctuated::<Meta, Comma>::parse_terminated);
        parsed.map(|all| all.into_iter().collect::<Vec<_>>()).unwrap_or_default()
    };
    match condition {
        Meta::List(list) if list.path.is_ident("not") => !nested(list).iter().any(holds),
        Meta::List(list) if list.path.is_ident("any") => nested(list).iter().any(holds),
        Meta::List(list) => nested(list).iter().all(holds),
        Meta::NameValue(pair) => {
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(value), .. }) = &pair.value else { return false };
            let name = pair.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match name.as_str() {
                "target_arch" => value.value() == std::env::consts::ARCH,
                "target_os" => value.value() == std::env::consts::OS,
                "target_endian" => (value.value() == "little") == cfg!(target_endian = "little"),
                // The tree is built with this one, as the lab's tests are.
                "feature" => value.value() == "serde",
                _ => false,
            }
        }
        Meta::Path(_) => false,
    }
}
