// The case table solved in WebAssembly: the same bits as natively.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Digest, caseNames } from "posekit/cases";
import { repositoryText } from "./support.js";

test("the digest is the committed one", () => {
  const digest = new Digest();
  for (const name of caseNames(repositoryText("testdata/cases/index.json"))) {
    digest.add(name, repositoryText(`testdata/cases/${name}.json`));
  }
  const value = digest.value();
  digest.free();
  assert.equal(value, repositoryText("testdata/digest.txt").trim());
  console.log(`${value} in WebAssembly and in testdata/digest.txt`);
});
