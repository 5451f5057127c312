export function errorCodesIn(text: string): string[] {
  return [...new Set(text.match(/\bDOCS_(?!PLATFORM_)[A-Z_]+(?=:)/g) ?? [])].sort();
}
