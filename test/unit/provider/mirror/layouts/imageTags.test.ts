import { expect, it } from "vitest";
import { imageTagOf } from "../../../../../provider/mirror/layouts/imageTags";

const digest = `sha256-${"a".repeat(64)}`;

it.each([
  ["sej_47f3a373", /^sej_47f3a373$/],
  ["job/with a slash", /^job-with-a-slash-[0-9a-f]{16}$/],
  ["latest", /^latest-[0-9a-f]{16}$/],
  ["x.mirror", /^x\.mirror-[0-9a-f]{16}$/],
  ["…", /^-?[0-9a-f]{16}$|^job-[0-9a-f]{16}$/],
  ["x".repeat(101), /^x{60}-[0-9a-f]{16}$/],
  // Tools look for the signatures of an image under these names, so no job's tag may equal one of them.
  ...["", ".sig", ".att"].map((ending) => [`${digest}${ending}`, /^sha256-a{53}-[0-9a-f]{16}$/] as const),
] as const)("the image of the job %s has a tag that a registry takes, and that nothing else has", (jobId, tag) => {
  expect(imageTagOf("archive", jobId)).toMatch(tag);
  expect(imageTagOf("archive", jobId)).toMatch(/^\w[\w.-]{0,127}$/);
});
