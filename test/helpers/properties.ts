import fc from "fast-check";

/**
 * Properties use the same examples in every run, so that a failure is due to the change. `PROPERTIES_SEED=random npm
 * test` looks for new counterexamples instead; a number repeats another run's.
 */
const FIXED_SEED = 20_261_121;

const wanted = process.env.PROPERTIES_SEED;
if (wanted !== "random") fc.configureGlobal({ seed: wanted === undefined ? FIXED_SEED : Number(wanted) });
