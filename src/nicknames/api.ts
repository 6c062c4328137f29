import { type Endpoint, endpoint } from "../web/api/endpoint.ts";
import { generateNicknames } from "./generate.ts";
import { nicknameInput, nicknameOutput, toNicknameRequest } from "./schemas.ts";

const generator = endpoint({
  method: "GET",
  path: "/api/nickname-generator",
  operationId: "generateNicknames",
  access: "none",
  input: nicknameInput,
  output: nicknameOutput,
  changesWith: [],
  handle: async (input) => {
    const { nicknames } = generateNicknames(toNicknameRequest(input));
    const { country, mode, sex } = input;
    return { country, mode, sex, count: nicknames.length, nicknames };
  },
  uncacheable: ({ seed }) => seed === undefined,
});

/** The nickname generator's endpoint. */
export const nicknameEndpoints: Endpoint[] = [generator];
