import { type ApiParts, apiEndpoints } from "../../src/api-endpoints.ts";

/** All endpoints of the API, for tests that read what they declare and call none. */
export const declaredEndpoints = () => apiEndpoints({} as ApiParts);
