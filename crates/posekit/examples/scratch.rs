use posekit::chain::direct::{reach, DirectWorkspace, Way};
struct R(u64);
impl R { fn u(&mut self)->f64{ self.0^=self.0<<13; self.0^=self.0>>7; self.0^=self.0<<17; (self.0>>11) as f64/(1u64<<53) as f64 }
 fn s(&mut self)->f64{2.0*self.u()-1.0} }
fn main(){
  let mut r=R(88172645463325252);
  let mut w=DirectWorkspace::default();
  for dim in [2usize,3,5] { for n in [2usize,3,5,10,30] { for mode in ["random","straight","equal"] {
    let mut ways=std::collections::BTreeMap::new(); let mut worst=0.0f64; let mut t=0.0; let mut cnt=0;
    for _ in 0..20000 {
      let lengths:Vec<f64>=(0..n).map(|_| if mode=="equal"{1.0/n as f64}else{(0.05+r.u())/n as f64}).collect();
      let outer:f64=lengths.iter().sum(); let mx=lengths.iter().cloned().fold(0.0,f64::max); let inner=(2.0*mx-outer).max(0.0);
      let mut pts=vec![0.0;dim];
      for i in 0..n { let mut v:Vec<f64>=(0..dim).map(|_| r.s()).collect(); if mode=="straight"{v=vec![0.0;dim];v[0]=1.0;} let s=v.iter().map(|x|x*x).sum::<f64>().sqrt(); for k in 0..dim {let p=pts[i*dim+k]; pts.push(p+lengths[i]*v[k]/s);} }
      let d=inner+(outer-inner)*r.u()*0.99999+1e-9; let mut v:Vec<f64>=(0..dim).map(|_| r.s()).collect(); let s=v.iter().map(|x|x*x).sum::<f64>().sqrt(); v.iter_mut().for_each(|x|*x*=d/s);
      if mode=="straight" && r.u()<0.5 { v=vec![0.0;dim]; v[0]= if r.u()<0.5 {d} else {-d}; }
      let t0=std::time::Instant::now();
      let way=reach(dim,&lengths,&mut pts,&v,1e-6,&mut w);
      t+=t0.elapsed().as_nanos() as f64; cnt+=1;
      let e=(0..dim).map(|k|(pts[n*dim+k]-v[k]).powi(2)).sum::<f64>().sqrt();
      if !(e<=1e-6) { println!("BAD {dim} {n} {mode} {way:?} e={e} d={d} outer={outer} inner={inner}"); }
      worst=worst.max(e); *ways.entry(format!("{way:?}")).or_insert(0)+=1; let _=Way::None;
    }
    println!("{dim} {n} {mode}: worst {worst:.1e} {ways:?} {:.0} ns", t/cnt as f64);
  }}}
}
