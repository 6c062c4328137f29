declare module "opencc-js/dict/*" {
  /** Pairs of a traditional and a simplified text, with a space in each and | between them. */
  const pairs: string;
  export default pairs;
}
