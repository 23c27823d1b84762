//! The types of the npm package: `npm/src/types.ts` is written from those of Rust.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use posekit::solve::Method;
use posekit_io::problem::ProblemTask;
use posekit_io::{
    CHAIN_SCHEMA, CONTACTS_SCHEMA, ChainProblem, ContactsFile, FIGURE_SCHEMA, FigureProblem,
    Outcome, SOLUTION_SCHEMA, SolutionFile,
};
use ts_rs::{Config, TS, TypeVisitor};

use crate::motion::{Info, Report};
use crate::robot::Description;

const HEAD: &str = "\
//! The files and answers of posekit. Written from the types of Rust by a test, with `POSEKIT_BLESS=1`; do not edit.
//! Lengths in metres, or in the unit of a motion's file, angles in radians, rotations x, y, z, w.
";

/// Types by name.
struct Types {
    config: Config,
    found: BTreeMap<String, String>,
}

impl Types {
    /// Adds a type, and all of which it is made.
    fn add<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::ident(&self.config);
        // Lists, numbers and the like are no types of their own.
        if T::output_path().is_none() || self.found.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        self.found.insert(name, format!("\n{docs}export {}\n", T::decl(&self.config)));
        T::visit_dependencies(self);
    }

    fn add_union(&mut self, name: &str, docs: &str, words: &[&str]) {
        let union: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        let text = format!("\n/** {docs} */\nexport type {name} = {};\n", union.join(" | "));
        self.found.insert(name.to_owned(), text);
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        self.add::<T>();
    }
}

/// The text of the types as a person would have laid it out: comments in one line, of longer ones the first paragraph; fields indented.
fn laid_out(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut comment: Option<Vec<&str>> = None;
    for line in text.lines().map(str::trim) {
        if line == "/**" {
            comment = Some(Vec::new());
            continue;
        }
        let indent = "  ".repeat(depth);
        match (&mut comment, line) {
            (Some(lines), "*/") => {
                let paragraph = lines.split(|line| line.is_empty()).next().unwrap_or_default();
                let words = paragraph.join(" ").replace("\\[", "[").replace("\\]", "]");
                let words = words.replace("[`", "`").replace("`]", "`");
                out.push_str(&format!("{indent}/** {words} */\n"));
                comment = None;
            }
            (Some(lines), _) => lines.push(line.trim_start_matches('*').trim()),
            (None, _) => {
                let outer = line.starts_with(['}', ')']);
                out.push_str(if outer { indent.get(2..).unwrap_or("") } else { &indent });
                out.push_str(line);
                out.push('\n');
                depth =
                    (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
            }
        }
    }
    out
}

#[test]
fn the_types_of_the_package_are_those_of_rust() {
    let config = Config::default().with_large_int("number");
    let mut types = Types { config, found: BTreeMap::new() };
    types.add::<ChainProblem>();
    types.add::<ContactsFile>();
    types.add::<FigureProblem>();
    types.add::<SolutionFile>();
    types.add::<ProblemTask<'_>>();
    types.add::<Description<'_>>();
    types.add::<Info>();
    types.add::<Report>();
    types.add_union("MethodName", "The methods of solvers.", &Method::ALL.map(Method::name));
    types.add::<Outcome>();
    let status = "\n/** How a solve ended. */\nexport type Status = Outcome[\"status\"];\n";
    types.found.insert("Status".to_owned(), status.to_owned());
    let mut text: String = types.found.into_values().collect();
    // The tag of a struct is the name of its type, as ts-rs has it.
    for (name, schema) in [
        ("ChainProblem", CHAIN_SCHEMA),
        ("ContactsFile", CONTACTS_SCHEMA),
        ("FigureProblem", FIGURE_SCHEMA),
        ("SolutionFile", SOLUTION_SCHEMA),
    ] {
        let tag = |name: &str| format!("\"schema\": \"{name}\"");
        assert!(text.contains(&tag(name)), "{name}");
        text = text.replace(&tag(name), &tag(schema));
    }
    let text = format!("{HEAD}{}", laid_out(&text));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/src/types.ts");
    if env::var_os("POSEKIT_BLESS").is_some() {
        fs::write(&path, &text).expect("the package is beside the crate");
    }
    let written =
        fs::read_to_string(&path).expect("the types are beside the crate").replace('\r', "");
    assert!(written == text, "npm/src/types.ts is not of these types; run with POSEKIT_BLESS=1");
}
