import { DocumentReflection, KindRouter, type Reflection, type RouterTarget, Slugger } from "typedoc";
import { sectionsOf } from "./sections.mjs";

/** The file of the project that a page is made from, without `.md`. */
export const fileOf = new Map<Reflection, string>();

/** Puts each page where its file is, and makes each section of a page a place that the search leads to. */
export class FileRouter extends KindRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    return fileOf.get(reflection) ?? super.getIdealBaseName(reflection);
  }

  protected override buildChildPages(target: Reflection, pages: Parameters<KindRouter["buildChildPages"]>[1]): void {
    super.buildChildPages(target, pages);
    if (target.isDocument()) {
      this.#addSections(target);
    }
  }

  #addSections(page: DocumentReflection): void {
    // The page's own slugger must not meet the headings twice.
    const slugger = new Slugger(this.sluggerConfiguration);
    for (const { title, level, text } of sectionsOf(page)) {
      const anchor = slugger.slug(title);
      if (level === 2 && page.parent !== undefined) {
        const section = new DocumentReflection(`${page.name} › ${title}`, page.parent, [{ kind: "text", text }], {});
        this.fullUrls.set(section as RouterTarget, `${this.getFullUrl(page)}#${anchor}`);
        this.anchors.set(section as RouterTarget, anchor);
      }
    }
  }
}
