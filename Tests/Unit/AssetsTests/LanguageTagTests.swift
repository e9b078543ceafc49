// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Testing

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("ger", "de"), ("deu", "de"), ("DE", "de"), ("eng", "en"), ("fre", "fr"), ("chi", "zh"),
        ("pt-BR", "pt-br"), ("de_DE.UTF-8", "de-de"), ("sr@latin", "sr"),
        ("zh_Hant_TW", "zh-hant-tw"),
        ("nds", "nds"),
    ])
    func `all forms of a language are one`(text: String, form: String) {
        #expect(LanguageTag(text)?.description == form)
    }

    @Test(arguments: ["", "und", "mul", "zxx", "C", "x", "12", "a-b"])
    func `text that names no language has no tag`(text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test func `a preference matches a more specific tag`() throws {
        let portuguese = try #require(LanguageTag("pt"))
        let brazilian = try #require(LanguageTag("por-BR"))
        #expect(brazilian.matches(portuguese))
        #expect(!portuguese.matches(brazilian))
        #expect(brazilian.displayName == "Portuguese (BR)")
    }

    @Test func `every language of ISO 639-1 is known by all its codes`() {
        #expect(LanguageTag("gre")?.displayName == "Greek")
        #expect(LanguageTag("wel") == LanguageTag("cy"))
        #expect(LanguageTag("zul")?.description == "zu")
    }
}
