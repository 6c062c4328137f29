import { letterTable, spell } from "./letters.ts";

/** The national system of Georgia (2002) without its apostrophes. */
const georgian = letterTable(
  "ა=a ბ=b გ=g დ=d ე=e ვ=v ზ=z თ=t ი=i კ=k ლ=l მ=m ნ=n ო=o პ=p ჟ=zh რ=r ს=s ტ=t უ=u ფ=p ქ=k ღ=gh ყ=q შ=sh ჩ=ch " +
    "ც=ts ძ=dz წ=ts ჭ=ch ხ=kh ჯ=j ჰ=h",
);

/** BGN/PCGN for Armenian without its apostrophes: Yervand, Vardanyan, Khachatryan. */
const armenian = letterTable(
  "ա=a բ=b գ=g դ=d ե=e զ=z է=e ը=y թ=t ժ=zh ի=i լ=l խ=kh ծ=ts կ=k հ=h ձ=dz ղ=gh ճ=ch մ=m յ=y ն=n շ=sh ո=o չ=ch պ=p " +
    "ջ=j ռ=r ս=s վ=v տ=t ր=r ց=ts ւ=v փ=p ք=k օ=o ֆ=f և=ev",
);

/** Romanises a name in Georgian letters. */
export function romaniseGeorgian(word: string): string {
  return spell(word, georgian);
}

/** Romanises a name in lower-case Armenian letters. */
export function romaniseArmenian(word: string): string {
  const prepared = word
    .replace(/ու/g, "u")
    .replace(/^ե/, "ye")
    .replace(/^և/, "yev")
    .replace(/^ո(?!վ)/, "vo");
  return spell(prepared, armenian);
}
