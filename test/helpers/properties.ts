import fc from "fast-check";

/**
 * Properties are tried with the same examples in every run, so that a run says something of the change it is run for.
 * `PROPERTIES_SEED=random npm test` looks for new counterexamples instead; a number repeats those of another run.
 */
const FIXED_SEED = 20_261_121;

const wanted = process.env.PROPERTIES_SEED;
if (wanted !== "random") fc.configureGlobal({ seed: wanted === undefined ? FIXED_SEED : Number(wanted) });
