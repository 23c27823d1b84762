//! scratch
use posekit::chain::direct::{DirectWorkspace, reach};
use posekit::chain::{Bones, Goals, fabrik};
struct R(u64);
impl R {
    fn u(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn s(&mut self) -> f64 {
        2.0 * self.u() - 1.0
    }
    fn dir(&mut self) -> [f64; 3] {
        loop {
            let v = [self.s(), self.s(), self.s()];
            let s = v.iter().map(|x| x * x).sum::<f64>();
            if s < 1.0 && s > 1e-4 {
                let s = s.sqrt();
                return [v[0] / s, v[1] / s, v[2] / s];
            }
        }
    }
}
fn main() {
    let mut r = R(88172645463325252);
    let n = 10;
    let dim = 3;
    for (name, lo, hi, straight) in [
        ("random", 0.05, 0.95, false),
        ("straight", 0.05, 0.95, true),
        ("99", 0.99, 0.999, false),
        ("99.9", 0.999, 0.9999, false),
    ] {
        let mut probs = vec![];
        for _ in 0..512 {
            let lengths: Vec<f64> = (0..n).map(|_| (0.5 + r.u()) / n as f64).collect();
            let outer: f64 = lengths.iter().sum();
            let mut pts = vec![0.0; 3];
            for i in 0..n {
                let v = if straight { [1.0, 0.0, 0.0] } else { r.dir() };
                for k in 0..3 {
                    let p = pts[i * 3 + k];
                    pts.push(p + lengths[i] * v[k]);
                }
            }
            let d = outer * (lo + (hi - lo) * r.u());
            let v = r.dir();
            let t = [v[0] * d, v[1] * d, v[2] * d];
            probs.push((lengths, pts, t, outer));
        }
        let mut w = DirectWorkspace::default();
        let mut best = f64::MAX;
        let mut buf = vec![0.0; 3 * (n + 1)];
        for _ in 0..50 {
            let t0 = std::time::Instant::now();
            for (l, p, t, o) in &probs {
                buf.copy_from_slice(p);
                std::hint::black_box(reach(dim, l, &mut buf, t, 1e-4 * o, &mut w));
            }
            best = best.min(t0.elapsed().as_nanos() as f64 / 512.0);
        }
        let parents: Vec<usize> = (0..=n).map(|i: usize| i.saturating_sub(1)).collect();
        let weights = vec![1.0; n + 1];
        let mut br = fabrik::Branches::default();
        br.prepare(3, &parents, &[n]);
        let mut bestf = f64::MAX;
        let mut iters = 0;
        for _ in 0..50 {
            let t0 = std::time::Instant::now();
            iters = 0;
            for (l, p, t, o) in &probs {
                buf.copy_from_slice(p);
                let mut ll = vec![0.0];
                ll.extend(l);
                let b = Bones { parents: &parents, lengths: &ll, weights: &weights };
                for _ in 0..200 {
                    let e = (0..3)
                        .map(|k| (buf[3 * n + k] - t[k]) * (buf[3 * n + k] - t[k]))
                        .sum::<f64>();
                    if e <= 1e-8 * o * o {
                        break;
                    }
                    iters += 1;
                    fabrik::backward(
                        3,
                        b,
                        &mut buf,
                        Goals { effectors: &[n], targets: t },
                        &mut br,
                    );
                    fabrik::forward(3, b, &mut buf, &br);
                }
            }
            bestf = bestf.min(t0.elapsed().as_nanos() as f64 / 512.0);
        }
        println!(
            "{name}: direct {best:.0} ns   fabrik {bestf:.0} ns {:.1} iters {:.1} ns/iter",
            iters as f64 / 512.0,
            bestf * 512.0 / iters as f64
        );
    }
}
