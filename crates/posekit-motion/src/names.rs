//! What joints are called: the sides, hands and feet of the usual conventions.

use super::leg::Side;

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) side: Side,
    pub(super) part: Option<Part>,
    /// The joint that deforms the body, of rigs that have several of each.
    pub(super) is_deforming: bool,
    /// The joint steers others, shares out what they do, or carries nothing.
    pub(super) is_helper: bool,
}

/// A part of the foot, or the end of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Ankle,
    Ball,
    Wrist,
}

/// Joints that steer others, or share out what others do, and ends that carry nothing.
const HELPERS: [&str; 22] = [
    "ik", "fk", "control", "ctrl", "con", "roll", "twist", "share", "pole", "target", "goal",
    "orient", "helper", "nub", "end", "tip", "effector", "mch", "tweak", "heel", "pivot",
    "tracker",
];

/// Conventions, recognised by the parts of their names; the first that fits all legs is named.
const CONVENTIONS: [(&str, &[&str]); 15] = [
    ("Mixamo", &["mixamorig"]),
    ("3ds Max Biped", &["Bip0", "Bip "]),
    ("Character Creator and iClone", &["CC_Base_"]),
    ("VRoid", &["J_Bip_"]),
    ("HumanIK", &["Character1_"]),
    ("Rigify", &["DEF-", "ORG-"]),
    ("Unreal", &["foot_l", "foot_r"]),
    ("CMU and MotionBuilder", &["LeftFoot", "RightFoot"]),
    ("DAZ", &["lFoot", "rFoot"]),
    ("MakeHuman", &["foot.L", "foot.R", "Foot_L", "Foot_R"]),
    ("VRM", &["leftFoot", "rightFoot"]),
    ("BVH with ankles", &["LeftAnkle", "RightAnkle"]),
    ("Kinect", &["AnkleLeft", "AnkleRight", "FootLeft", "FootRight"]),
    ("SMPL", &["L_Ankle", "R_Ankle", "L_Foot", "R_Foot"]),
    ("MikuMikuDance", &["\u{8db3}\u{9996}"]),
];

/// Which convention all these names follow, in a word.
pub(super) fn convention(names: &[&str]) -> Option<&'static str> {
    let fits = |marks: &[&str]| {
        names.iter().all(|name| marks.iter().any(|mark| name.contains(mark))) && !names.is_empty()
    };
    CONVENTIONS.iter().find(|(_, marks)| fits(marks)).map(|(convention, _)| *convention)
}

/// What a name says; the names of name spaces in front, up to a colon or bar, say nothing.
pub(super) fn words(name: &str) -> Words {
    let own = name.rsplit([':', '|']).next().unwrap_or(name);
    let (tokens, mut side) = (tokens(own), Side::Middle);
    let has = |word: &str| tokens.iter().any(|token| token == word);
    if has("l") || has("left") || own.contains('\u{5de6}') {
        side = Side::Left;
    } else if has("r") || has("right") || own.contains('\u{53f3}') {
        side = Side::Right;
    }
    let is_helper = HELPERS.iter().any(|helper| has(helper)) || own.contains('\u{ff29}');
    let part = if is_helper { None } else { part(&tokens, own) };
    Words { side, part, is_deforming: has("def"), is_helper }
}

fn part(tokens: &[String], own: &str) -> Option<Part> {
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.as_str()));
    let is_toe = tokens.iter().any(|token| token.starts_with("toe"));
    let is_fore_foot = has(&["fore", "forefoot"]) && has(&["foot", "forefoot"]);
    if is_toe
        || is_fore_foot
        || has(&["ball", "bale", "metatarsal", "tarsal"])
        || own.contains("\u{3064}\u{307e}\u{5148}")
    {
        return Some(Part::Ball);
    }
    if has(&["foot", "ankle", "talus", "hock"]) || own.contains("\u{8db3}\u{9996}") {
        return Some(Part::Ankle);
    }
    let is_wrist = has(&["hand", "wrist"]) || own.contains("\u{624b}\u{9996}");
    is_wrist.then_some(Part::Wrist)
}

/// The words in a name, in small letters: split at what is no letter, where small letters become capitals, before the last of several capitals, and after
/// `left` or `right` at the front and before them at the end.
fn tokens(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut tokens = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let next = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase)
                    && next.is_some_and(|c| c.is_lowercase())));
        if begins || !letter.is_alphabetic() {
            tokens.push(String::new());
        }
        if let (true, Some(token)) = (letter.is_alphabetic(), tokens.last_mut()) {
            token.extend(letter.to_lowercase());
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens.iter().flat_map(|token| split_side(token)).collect()
}

fn split_side(token: &str) -> Vec<String> {
    for side in ["left", "right"] {
        let rest = token.strip_prefix(side).or_else(|| token.strip_suffix(side));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            return vec![side.to_owned(), rest.to_owned()];
        }
    }
    vec![token.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_and_hands_of_every_convention_are_known() {
        use Part::{Ankle, Ball, Wrist};
        use Side::{Left, Right};
        let cases = [
            ("LeftFoot", Left, Ankle),
            ("LeftToeBase", Left, Ball),
            ("mixamorig:RightFoot", Right, Ankle),
            ("mixamorig7:RightToeBase", Right, Ball),
            ("foot_l", Left, Ankle),
            ("ball_r", Right, Ball),
            ("leftFoot", Left, Ankle),
            ("rightToes", Right, Ball),
            ("J_Bip_L_Foot", Left, Ankle),
            ("J_Bip_R_ToeBase", Right, Ball),
            ("Bip01 L Foot", Left, Ankle),
            ("Bip001 R Toe0", Right, Ball),
            ("lFoot", Left, Ankle),
            ("rToe", Right, Ball),
            ("foot.L", Left, Ankle),
            ("toe1-1.R", Right, Ball),
            ("Foot_L", Left, Ankle),
            ("CC_Base_L_ToeBase", Left, Ball),
            ("AnkleRight", Right, Ankle),
            ("LeftAnkle", Left, Ankle),
            ("LeftForeFoot", Left, Ball),
            ("J_R_Bale", Right, Ball),
            ("DEF-foot.L", Left, Ankle),
            ("leftfoot", Left, Ankle),
            ("r-foot", Right, Ankle),
            ("b_LeftFoot01_017", Left, Ankle),
            ("Character1_RightFoot", Right, Ankle),
            ("FootL", Left, Ankle),
            ("LFoot", Left, Ankle),
            ("\u{5de6}\u{8db3}\u{9996}", Left, Ankle),
            ("\u{53f3}\u{3064}\u{307e}\u{5148}", Right, Ball),
            ("LeftHand", Left, Wrist),
            ("mixamorig:RightHand", Right, Wrist),
            ("hand_l", Left, Wrist),
            ("wrist.r", Right, Wrist),
            ("RightHandThumb1", Right, Wrist),
            ("CC_Base_R_Hand", Right, Wrist),
            ("HandRight", Right, Wrist),
            ("lHand", Left, Wrist),
            ("\u{5de6}\u{624b}\u{9996}", Left, Wrist),
        ];
        for (name, side, part) in cases {
            let found = words(name);
            assert_eq!((found.side, found.part), (side, Some(part)), "{name}");
        }
    }

    #[test]
    fn helpers_and_other_joints_are_neither_feet_nor_hands() {
        let names = [
            "ik_foot_l",
            "IK-foot.l",
            "control-foot-roll.l",
            "heelIK.l",
            "foot_ik.R",
            "LeftFootRoll",
            "CC_Base_L_ToeBaseShareBone",
            "LeftFoot_End",
            "MCH-foot.L",
            "LeftLeg",
            "Hips",
            "Football",
            "LeftForeArm",
            "IK-hand.l",
            "RightHand_End",
            "LeftHandle",
            "",
            "::",
            "\u{5de6}\u{8db3}\u{ff29}\u{ff2b}",
        ];
        for name in names {
            assert_eq!(words(name).part, None, "{name}");
        }
    }

    #[test]
    fn conventions_have_names() {
        assert_eq!(convention(&["mixamorig:LeftFoot", "mixamorig:RightFoot"]), Some("Mixamo"));
        assert_eq!(convention(&["foot_l", "foot_r"]), Some("Unreal"));
        assert_eq!(convention(&["LeftFoot", "something"]), None);
        assert_eq!(convention(&[]), None);
    }
}
