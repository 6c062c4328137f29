import { z } from "zod";
import { searchText, wholeNumber } from "../web/request/params.ts";

const limit = wholeNumber(1, 50).default(10);

export const globalSearchInput = z.object({
  q: searchText,
  limit,
});

export const kindSearchInput = z.object({
  q: searchText,
  limit,
  offset: wholeNumber(0, 1000).default(0),
});
