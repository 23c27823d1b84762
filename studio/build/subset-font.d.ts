declare module "subset-font" {
  /** A font with the glyphs of a text alone. */
  export default function subsetFont(font: Uint8Array, text: string, options: { targetFormat: "woff2" }): Promise<Uint8Array>;
}
