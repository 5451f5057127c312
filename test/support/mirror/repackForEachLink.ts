import type { Platform } from "../../../simulator/index";
import { archiveWith } from "../../unit/provider/mirror/archive/archives";
import { serve } from "../loopback";
import { storageReply } from "./storage";

/** Makes the next links of a job lead to different archives. Some platforms pack a new archive for each link. */
export async function repackForEachLink(platform: Platform, links: number): Promise<void> {
  for (let link = 0; link < links; link++) {
    const bytes = await archiveWith("tar.gz", [
      ["index.html", "<h1>One</h1>"],
      ["packed.txt", `${link}`],
    ]);
    const { url } = await serve(storageReply(bytes));
    const body = { bundleUrl: `${url}/bundle`, expiresAt: "2126-01-31T10:00:00Z" };
    platform.inject({ operation: "createBundle", kind: "body", body });
  }
}
