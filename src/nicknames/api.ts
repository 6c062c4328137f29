import { type Endpoint, readEndpoint } from "../web/api/endpoint.ts";
import { generateNicknames } from "./generate.ts";
import { nicknameInput, nicknameOutput, toNicknameRequest } from "./schemas.ts";

const generator = readEndpoint({
  path: "/api/nickname-generator",
  operationId: "generateNicknames",
  access: "none",
  input: nicknameInput,
  output: nicknameOutput,
  handle: async (input) => {
    const nicknames = generateNicknames(toNicknameRequest(input));
    const { country, mode, sex } = input;
    return { country, mode, sex, count: nicknames.length, nicknames };
  },
  // Without a seed, the next nicknames are different ones.
  cache: (_nicknames, { seed }) => (seed === undefined ? "never" : { dependsOn: [] }),
});

export const nicknameEndpoints: Endpoint[] = [generator];
