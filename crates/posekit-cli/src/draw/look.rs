//! The look in one place: colours, dashes, markers and sizes, and the style sheets made from them.
//!
//! Rules are written once with variables, `var(--name)`. A page keeps the variables; a stand-alone SVG gets their values
//! written in, because several viewers (librsvg, Inkscape) know classes but no variables.

use std::fmt::Write as _;

/// The two backgrounds for pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Dark ink on paper; also what is printed.
    Light,
    /// Light ink on slate.
    Dark,
}

/// A colour, 8 bits for each of red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

impl Colour {
    const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self([red, green, blue])
    }

    /// The colour as CSS writes it, `#RRGGBB`.
    pub(crate) fn css(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02X}{green:02X}{blue:02X}")
    }

    /// This colour blended with `percent` of `other`, in integer arithmetic, so that it is the same on every machine.
    fn towards(self, other: Self, percent: u16) -> Self {
        let channel = |i: usize| {
            let mixed =
                u16::from(self.0[i]) * (100 - percent) + u16::from(other.0[i]) * percent + 50;
            u8::try_from(mixed / 100).unwrap_or(u8::MAX)
        };
        Self([channel(0), channel(1), channel(2)])
    }
}

/// Target of a task.
const TARGET: Colour = Colour::hex(0x00D5_5E00);

/// Colours of a share from 0 to 1, evenly spaced: one hue darkens into the next, so that they are distinguishable without colour vision (after `YlGnBu` of `ColorBrewer`).
const RAMP: [(Colour, Colour); 7] = [
    (Colour::hex(0x00E9_F3B9), Colour::hex(0x0022_2F5A)),
    (Colour::hex(0x00C7_E9B4), Colour::hex(0x0024_49A0)),
    (Colour::hex(0x007F_CDBB), Colour::hex(0x001D_7BB8)),
    (Colour::hex(0x0041_B6C4), Colour::hex(0x0036_A9C3)),
    (Colour::hex(0x001D_91C0), Colour::hex(0x007F_CDBB)),
    (Colour::hex(0x0022_5EA8), Colour::hex(0x00C7_E9B4)),
    (Colour::hex(0x000C_2C6B), Colour::hex(0x00F3_FBC4)),
];

/// The colour of a share from 0 to 1: larger shares contrast more with the background.
pub(crate) fn ramp(share: f64, theme: Theme) -> Colour {
    let pick = |(light, dark): (Colour, Colour)| match theme {
        Theme::Light => light,
        Theme::Dark => dark,
    };
    let at = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let below = (0..RAMP.len() - 1).rev().find(|&k| k as f64 <= at).unwrap_or(0);
    // In whole percents, so that it is the same on every machine.
    let percent = (0..=100).rev().find(|&p| below as f64 + 0.01 * f64::from(p) <= at).unwrap_or(0);
    pick(RAMP[below]).towards(pick(RAMP[below + 1]), percent)
}

/// Name of a CSS variable and its values on light and dark backgrounds.
const GROUND: [(&str, Colour, Colour); 7] = [
    ("paper", Colour::hex(0x00FA_FAF7), Colour::hex(0x0015_171A)),
    ("ink", Colour::hex(0x001C_1E21), Colour::hex(0x00E8_E8E3)),
    ("grid", Colour::hex(0x00E4_E4DE), Colour::hex(0x002A_2D31)),
    // Secondary text: at least 4.5 to 1 on both backgrounds.
    ("quiet", Colour::hex(0x005C_6066), Colour::hex(0x00A6_A8A6)),
    // The start pose: at least 3 to 1, and clearly less prominent than the result.
    ("start", Colour::hex(0x0086_898D), Colour::hex(0x0080_8387)),
    ("target", TARGET, TARGET),
    // Contact shadows are darker than both backgrounds.
    ("shade", Colour::hex(0x001C_1E21), Colour::hex(0x0000_0000)),
];

/// The look of a solver: a colour, and a dash and a marker that identify it without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SolverLook {
    /// Two-bone closed form.
    TwoBone,
    /// The direct method for free chains: in the same colour as the closed form, distinguished by dash and marker.
    Direct,
    /// Cyclic coordinate descent.
    Ccd,
    /// FABRIK.
    Fabrik,
    /// Constraint relaxation.
    Relaxation,
    /// Least squares.
    LeastSquares,
    /// A solver without a colour of its own: ink.
    Other,
}

/// The shape of a curve's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    /// Circle.
    Circle,
    /// Square.
    Square,
    /// Triangle, point up.
    Triangle,
    /// Square standing on a corner.
    Diamond,
    /// Triangle, point down.
    Wedge,
    /// Upright cross.
    Plus,
    /// Six-sided nut.
    Hexagon,
}

impl SolverLook {
    /// Every look, in the order of the style sheet.
    pub(crate) const ALL: [Self; 7] = [
        Self::TwoBone,
        Self::Direct,
        Self::Ccd,
        Self::Fabrik,
        Self::Relaxation,
        Self::LeastSquares,
        Self::Other,
    ];

    /// True for the solvers that do not iterate.
    pub(crate) const fn is_closed_form(self) -> bool {
        matches!(self, Self::TwoBone | Self::Direct)
    }

    /// The look of a solver by its command-line name: all closed forms have one colour, and an arm that of two bones; names without a colour of their own (`auto` too) give [`Self::Other`].
    ///
    /// For the automatic choice, pass the name of the solver that it chose.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "two-bone" | "arm" => Self::TwoBone,
            "direct" => Self::Direct,
            "ccd" => Self::Ccd,
            "fabrik" => Self::Fabrik,
            "relaxation" => Self::Relaxation,
            "least-squares" => Self::LeastSquares,
            _ => Self::Other,
        }
    }

    /// CSS class of everything drawn for this solver.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::TwoBone => "s-two-bone",
            Self::Direct => "s-direct",
            Self::Ccd => "s-ccd",
            Self::Fabrik => "s-fabrik",
            Self::Relaxation => "s-relaxation",
            Self::LeastSquares => "s-least-squares",
            Self::Other => "s-other",
        }
    }

    /// The solver's own colour (Okabe and Ito).
    const fn fill(self, theme: Theme) -> Colour {
        match self {
            Self::TwoBone | Self::Direct => Colour::hex(0x0056_B4E9),
            Self::Ccd => Colour::hex(0x0000_72B2),
            Self::Fabrik => Colour::hex(0x00E6_9F00),
            Self::Relaxation => Colour::hex(0x0000_9E73),
            Self::LeastSquares => Colour::hex(0x00CC_79A7),
            Self::Other => match theme {
                Theme::Light => Colour::hex(0x0063_676D),
                Theme::Dark => Colour::hex(0x00A6_A8A6),
            },
        }
    }

    /// The colour for this solver's lines: its own, darkened on paper where it would fall below 3 to 1.
    const fn edge(self, theme: Theme) -> Colour {
        match (self, theme) {
            (Self::TwoBone | Self::Direct, Theme::Light) => Colour::hex(0x0045_90BA),
            (Self::Fabrik, Theme::Light) => Colour::hex(0x00B8_7F00),
            (Self::LeastSquares, Theme::Light) => Colour::hex(0x00BE_719B),
            _ => self.fill(theme),
        }
    }

    /// Dash of this solver's ghosts and curves, as SVG writes it; `None` is a full line.
    pub(crate) const fn dash(self) -> Option<&'static str> {
        match self {
            Self::TwoBone => None,
            Self::Direct => Some("1 3"),
            Self::Ccd => Some("7 3"),
            Self::Fabrik => Some("2.5 2.5"),
            Self::Relaxation => Some("9 3 2 3"),
            Self::LeastSquares => Some("12 4"),
            Self::Other => Some("4 4 1 4"),
        }
    }

    /// Marker of this solver's curve.
    pub(crate) const fn marker(self) -> Marker {
        match self {
            Self::TwoBone => Marker::Plus,
            Self::Direct => Marker::Hexagon,
            Self::Ccd => Marker::Circle,
            Self::Fabrik => Marker::Square,
            Self::Relaxation => Marker::Triangle,
            Self::LeastSquares => Marker::Diamond,
            Self::Other => Marker::Wedge,
        }
    }
}

/// Rules for drawings, shared by pages and stand-alone files.
const DRAWING_RULES: &str = "\
.paper{fill:var(--paper)}
.grid{fill:none;stroke:var(--grid);stroke-width:1}
.axis{fill:none;stroke:var(--quiet);stroke-width:1;stroke-opacity:.55}
.shadows{opacity:var(--shadow)}
.shadow{fill:none;stroke:var(--shade);stroke-linecap:round;stroke-linejoin:round}
.drop{fill:none;stroke:var(--quiet);stroke-width:1;stroke-dasharray:1 3;stroke-linecap:round}
.foot{fill:var(--quiet)}
.start{fill:none;stroke:var(--start);stroke-linecap:round;stroke-linejoin:round}
.start-body{fill:var(--start-tint);stroke:var(--start);stroke-linejoin:round}
.start-shade{fill:var(--start);fill-opacity:.22}
.start-joint{fill:var(--paper);stroke:var(--start)}
.body{fill:var(--c-tint);stroke:var(--c-edge);stroke-linejoin:round}
.solid{fill:var(--c);stroke:var(--c-edge);stroke-linejoin:round}
.shade{fill:var(--c);fill-opacity:.38}
.joint{fill:var(--paper);stroke:var(--c-edge)}
.pin{fill:var(--c-edge)}
.ghost{fill:none;stroke:var(--c-edge);stroke-linecap:butt;stroke-linejoin:round}
.trail{fill:none;stroke:var(--c-edge);stroke-width:1;stroke-opacity:.7}
.tip{fill:var(--paper);stroke:var(--c-edge);stroke-width:2}
.rod{stroke:var(--ink);stroke-width:1.5;stroke-linecap:round}
.rail{stroke:var(--ink);stroke-width:1;stroke-opacity:.6}
.range{fill:var(--ink);fill-opacity:.05;stroke:none}
.arc{fill:none;stroke:var(--quiet);stroke-width:1;stroke-opacity:.7}
.held{fill:none;stroke:var(--ink);stroke-width:2;stroke-linecap:round}
.target{fill:none;stroke:var(--target);stroke-width:2;stroke-linecap:round}
.plate{fill:var(--ink);fill-opacity:.045;stroke:var(--quiet);stroke-width:1;stroke-opacity:.7;stroke-linejoin:round}
.rod-edge{fill:none;stroke:var(--quiet);stroke-linecap:round}
.rod-body{fill:none;stroke:var(--grid);stroke-linecap:round}
.before{opacity:.5}
.sight{fill:none;stroke:var(--target);stroke-width:1;stroke-opacity:.6;stroke-dasharray:1 4;stroke-linecap:round}
.gap{fill:none;stroke:var(--target);stroke-width:1;stroke-dasharray:3 3}
.root{fill:var(--ink);stroke:var(--paper);stroke-width:1}
.ground{stroke:var(--ink);stroke-width:1.5;stroke-linecap:round}
.pole{fill:var(--paper);stroke:var(--ink);stroke-width:1.25}
.thread{fill:none;stroke:var(--quiet);stroke-width:1}
.curve{fill:none;stroke:var(--c-edge);stroke-width:2;stroke-linejoin:round;stroke-linecap:butt}
.mark{fill:var(--c);stroke:var(--c-edge);stroke-width:1;stroke-linejoin:round}
.escape{fill:none;stroke:var(--ink);stroke-width:1.25}
.lead{fill:none;stroke:var(--quiet);stroke-width:1;stroke-opacity:.6}
.limit-line{fill:none;stroke:var(--quiet);stroke-width:1;stroke-dasharray:4 3}
.label{fill:var(--ink);font:12px var(--sans);font-variant-numeric:tabular-nums}
.label-quiet{fill:var(--quiet);font:12px var(--sans);font-variant-numeric:tabular-nums}
.heading{fill:var(--ink);font:600 17px var(--sans)}
.halo{stroke:var(--paper);stroke-width:3;paint-order:stroke;stroke-linejoin:round}
.end{text-anchor:end}
.middle{text-anchor:middle}
";

/// Rules for the page around the drawings. Spacing in steps of 4 px, hairlines, no shadows.
const PAGE_RULES: &str = "\
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:14px/20px var(--sans);font-variant-numeric:tabular-nums}
main{max-width:1152px;margin:0 auto;padding:40px 32px 64px}
a{color:inherit;text-decoration-color:var(--quiet);text-underline-offset:3px}
a:hover{text-decoration-color:currentColor}
a:focus-visible{outline:2px solid var(--target);outline-offset:2px;border-radius:2px}
h1{font-size:28px;line-height:36px;font-weight:600;letter-spacing:-.012em;max-width:30em;margin:0 0 12px;text-wrap:balance}
h2{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.006em;margin:0}
h3{font-size:14px;line-height:20px;font-weight:600;margin:32px 0 4px}
p{margin:0 0 8px;max-width:44em}
.kicker{color:var(--quiet);font-size:13px;margin:0 0 12px}
.about{color:var(--quiet);margin:4px 0 16px}
.model{border-top:1px solid var(--grid);margin-top:48px;padding-top:24px}
.tiles{display:grid;grid-template-columns:repeat(var(--n,4),minmax(0,1fr));gap:24px 16px}
.tile{margin:0;min-width:0;break-inside:avoid}
.tile>svg,.plot svg{display:block;width:100%;height:auto}
.tile figcaption{margin-top:4px}
.tile .who{display:flex;align-items:center;gap:8px;font-weight:600}
.words{display:flex;gap:6px;color:var(--quiet);font-size:13px}
td .words,.words b{color:var(--ink);font-weight:400}
.words svg{flex:none;width:14px;height:14px;margin-top:3px}
.icon{fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.swatch{flex:none;width:28px;height:12px}
.plot{margin:24px 0 0;break-inside:avoid}
.plot .narrow{display:none}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:28px 0 0;font-size:14px}
th{font-weight:600;text-align:left;vertical-align:top}
thead th{color:var(--quiet);font-weight:400;font-size:13px;border-bottom:1px solid var(--ink);white-space:nowrap}
th,td{padding:5px 24px 5px 0}
th:last-child,td:last-child{padding-right:0}
td{vertical-align:top}
tbody tr:last-child td,tbody th,.plain td{border-bottom:1px solid var(--grid)}
.summary tbody:last-child tr:last-child>*,.summary tbody:last-child th{border-bottom-color:var(--ink)}
tbody th a{text-decoration:none}
tbody th a:hover{text-decoration:underline}
.n{text-align:right;white-space:nowrap}
.solver{display:flex;align-items:center;gap:8px;white-space:nowrap}
.plain{width:auto;min-width:50%;font-size:13px}
.plain td,.plain th{padding-right:32px}
footer{margin-top:48px;padding-top:16px;border-top:1px solid var(--grid);color:var(--quiet);font-size:13px}
@media screen and (max-width:960px){
.tiles{grid-template-columns:repeat(min(var(--n,3),3),minmax(0,1fr))}
}
@media screen and (max-width:680px){
main{padding:24px 16px 48px}
h1{font-size:22px;line-height:28px}
.model{margin-top:40px}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:20px 12px}
.tile .who{gap:6px}
.plot .wide{display:none}
.plot .narrow{display:block}
.summary thead{display:none}
.summary,.summary tbody{display:block}
.summary tbody{border-bottom:1px solid var(--grid);padding:12px 0}
.summary tbody:last-child{border:0;padding-bottom:0}
.summary tr{display:grid;grid-template-columns:minmax(0,1fr) 76px 88px 72px;align-items:center}
.summary tbody tr>*,.summary tbody tr:last-child>*,.summary tbody:last-child tr:last-child>*{border:0;padding:2px 0}
.summary tbody tr>th[scope]{grid-column:1/-1;padding-bottom:4px}
.summary tbody tr>td.status.status{grid-column:1/-1;order:5;padding:0 0 6px 36px}
.summary .n{font-size:13px}
.summary .n[data-unit]::after{content:attr(data-unit);color:var(--quiet)}
}
@media print{
@page{margin:16mm}
:root{--paper:#FFFFFF}
main{max-width:none;padding:0}
body{font-size:9.5pt;line-height:13pt}
h1{font-size:16pt;line-height:20pt}
h2{font-size:12.5pt;break-after:avoid}
.tiles{gap:12px}
.tile .who,.words,.about,.kicker,thead th{font-size:8.5pt;line-height:12pt}
.words svg{margin-top:1px}
.plot .label,.plot .label-quiet{font-size:15px}
.model{margin-top:20pt;padding-top:12pt;break-inside:avoid}
tbody th{white-space:nowrap}
table{font-size:9pt;break-inside:auto}
tr{break-inside:avoid}
a{text-decoration:none}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
";

/// Sans-serif text.
const SANS: &str =
    "Inter,\"Segoe UI\",\"Helvetica Neue\",\"Noto Sans\",\"Liberation Sans\",Arial,sans-serif";

/// Every variable and its value on one background.
fn variables(theme: Theme) -> Vec<(String, String)> {
    let pick = |light: Colour, dark: Colour| match theme {
        Theme::Light => light,
        Theme::Dark => dark,
    };
    let mut all: Vec<(String, String)> = GROUND
        .iter()
        .map(|&(name, light, dark)| (name.to_owned(), pick(light, dark).css()))
        .collect();
    let ground = |wanted: &str| {
        let found = GROUND.iter().find(|(name, ..)| *name == wanted);
        found.map_or(Colour::hex(0), |&(_, light, dark)| pick(light, dark))
    };
    all.push(("start-tint".to_owned(), ground("paper").towards(ground("start"), 18).css()));
    // Slate is so dark that a visible shadow needs a larger opacity.
    let shadow = match theme {
        Theme::Light => ".13",
        Theme::Dark => ".55",
    };
    all.push(("shadow".to_owned(), shadow.to_owned()));
    all.push(("sans".to_owned(), SANS.to_owned()));
    all
}

/// The three variables of a solver: its colour, its lines and the light fill of its bones.
fn solver_variables(solver: SolverLook, theme: Theme) -> [(&'static str, Colour); 3] {
    let (_, light, dark) = GROUND[0];
    // Saturated enough for the figure to stand out, light enough for its outline to be visible.
    let (paper, percent) = match theme {
        Theme::Light => (light, 36),
        Theme::Dark => (dark, 50),
    };
    let fill = solver.fill(theme);
    [("c", fill), ("c-edge", solver.edge(theme)), ("c-tint", paper.towards(fill, percent))]
}

/// Declarations of all variables for one background.
fn declarations(theme: Theme) -> String {
    let mut text = String::from(":root{");
    for (name, value) in variables(theme) {
        let _ = write!(text, "--{name}:{value};");
    }
    text.push_str("}\n");
    for solver in SolverLook::ALL {
        let _ = write!(text, ".{}{{", solver.class());
        for (name, colour) in solver_variables(solver, theme) {
            let _ = write!(text, "--{name}:{};", colour.css());
        }
        text.push_str("}\n");
    }
    text
}

/// Style sheet of a page: variables for both backgrounds, then the rules. Print always uses the light one.
pub(crate) fn page_style() -> String {
    format!(
        ":root{{color-scheme:light dark}}\n{}@media screen and (prefers-color-scheme:dark){{\n{}}}\n{DRAWING_RULES}{PAGE_RULES}",
        declarations(Theme::Light),
        declarations(Theme::Dark),
    )
}

/// Style sheet of a stand-alone SVG: the drawing rules with values in place of variables, for light and dark backgrounds.
pub(crate) fn svg_style() -> String {
    format!(
        "{}@media (prefers-color-scheme:dark){{\n{}}}\n",
        resolved(Theme::Light),
        resolved(Theme::Dark)
    )
}

/// Fills of `.share0` to the last of this number of classes, for light and dark backgrounds.
pub(crate) fn share_style(classes: u32) -> String {
    let rules = |theme| {
        let rule = |class: u32| {
            let share = (f64::from(class) + 0.5) / f64::from(classes);
            format!(".share{class}{{fill:{}}}", ramp(share, theme).css())
        };
        (0..classes).map(rule).collect::<String>()
    };
    let (light, dark) = (rules(Theme::Light), rules(Theme::Dark));
    format!("{light}\n@media (prefers-color-scheme:dark){{{dark}}}\n")
}

/// The drawing rules for one background, without variables. Rules in a solver's colour are written once for each solver.
fn resolved(theme: Theme) -> String {
    let mut text = String::new();
    for rule in DRAWING_RULES.lines() {
        if rule.contains("var(--c") {
            for solver in SolverLook::ALL {
                let mut own = format!(".{} {rule}", solver.class());
                for (name, colour) in solver_variables(solver, theme) {
                    own = own.replace(&format!("var(--{name})"), &colour.css());
                }
                push_resolved(&mut text, own, theme);
            }
        } else {
            push_resolved(&mut text, rule.to_owned(), theme);
        }
    }
    text
}

/// Appends one rule with the variables replaced by their values.
fn push_resolved(text: &mut String, mut rule: String, theme: Theme) {
    for (name, value) in variables(theme) {
        rule = rule.replace(&format!("var(--{name})"), &value);
    }
    text.push_str(&rule);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fifth root by Newton's iteration, for the sRGB curve's exponent 2.4 = 12 / 5.
    fn fifth_root(value: f64) -> f64 {
        let mut root = 1.0_f64;
        for _ in 0..60 {
            let fourth = root * root * root * root;
            root -= (fourth * root - value) / (5.0 * fourth);
        }
        root
    }

    fn luminance(colour: Colour) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 {
                return value / 12.92;
            }
            let base = (value + 0.055) / 1.055;
            let squared = base * base;
            squared * fifth_root(squared)
        };
        let [red, green, blue] = colour.0;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn contrast(a: Colour, b: Colour) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        if a > b { a / b } else { b / a }
    }

    #[test]
    fn text_and_lines_can_be_seen_on_both_grounds() {
        let (_, paper, slate) = GROUND[0];
        for (name, light, dark) in GROUND {
            let least = match name {
                "ink" | "quiet" => 4.5,
                "start" | "target" => 3.0,
                _ => continue,
            };
            assert!(contrast(light, paper) >= least, "{name} on paper");
            assert!(contrast(dark, slate) >= least, "{name} on slate");
        }
        for solver in SolverLook::ALL {
            assert!(contrast(solver.edge(Theme::Light), paper) >= 3.0, "{solver:?} on paper");
            assert!(contrast(solver.edge(Theme::Dark), slate) >= 3.0, "{solver:?} on slate");
        }
    }

    #[test]
    fn every_solver_has_its_own_dash_and_marker() {
        for (i, a) in SolverLook::ALL.iter().enumerate() {
            for b in &SolverLook::ALL[i + 1..] {
                assert_ne!(a.dash(), b.dash(), "{a:?} and {b:?}");
                assert_ne!(a.marker(), b.marker(), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn a_stand_alone_sheet_has_no_variables() {
        assert!(!svg_style().contains("var("), "every variable has a value");
        assert!(page_style().contains("--paper:#FAFAF7"), "pages keep the variables");
    }
}
