//! Formulas in MathML: read aloud by screen readers, drawn by the browser, nothing to load.

import type { ComponentChildren } from "preact";

export function Formula({ children, says }: { children: ComponentChildren; says: string }) {
  return <div class="formula" role="math" aria-label={says}><math display="block">{children}</math></div>;
}

export const V = ({ name }: { name: string }) => <mi mathvariant="normal" class="vector">{name}</mi>;
export const I = ({ name }: { name: string }) => <mi>{name}</mi>;
export const O = ({ sign }: { sign: string }) => <mo>{sign}</mo>;
export const N = ({ value }: { value: string | number }) => <mn>{value}</mn>;
export const Sub = ({ of, at }: { of: ComponentChildren; at: ComponentChildren }) => <msub><mrow>{of}</mrow><mrow>{at}</mrow></msub>;
export const Sup = ({ of, to }: { of: ComponentChildren; to: ComponentChildren }) => <msup><mrow>{of}</mrow><mrow>{to}</mrow></msup>;
export const Over = ({ top, bottom }: { top: ComponentChildren; bottom: ComponentChildren }) => <mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>;
export const Row = ({ children }: { children: ComponentChildren }) => <mrow>{children}</mrow>;
/** A length: bars around. */
export const Bars = ({ children }: { children: ComponentChildren }) => <mrow><mo>|</mo>{children}<mo>|</mo></mrow>;
