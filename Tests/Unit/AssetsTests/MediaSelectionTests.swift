// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@Suite struct MediaSelectionTests {
    private func track(
        _ id: Int, _ type: MediaType, _ language: String?, isDefault: Bool = false,
        _ characteristics: Set<MediaCharacteristic> = []
    ) -> AssetTrack {
        AssetTrack(
            id: id, mediaType: type, formatDescription: FormatDescription(codec: "test"),
            languageTag: language, isDefault: isDefault, characteristics: characteristics)
    }

    private var film: AssetDescription {
        AssetDescription(
            container: "test", duration: .indefinite,
            tracks: [
                track(0, .video, nil),
                track(1, .audio, "eng", isDefault: true),
                track(2, .audio, "ger"),
                track(3, .audio, "ger", [.describesVideoForAccessibility]),
                track(4, .subtitle, "eng", [.transcribesSpokenDialogForAccessibility]),
                track(5, .subtitle, "eng"),
                track(6, .subtitle, "ger", [.containsOnlyForcedSubtitles]),
                track(7, .subtitle, "ger"),
            ])
    }

    private func languages(_ tags: String...) -> [LanguageTag] {
        tags.compactMap { LanguageTag($0) }
    }

    @Test func `audio plays in the first preferred language that exists, else the default`() throws
    {
        let group = try #require(film.mediaSelectionGroup(for: .audible))
        #expect(group.options.map(\.id) == [1, 2, 3])
        #expect(!group.allowsEmptySelection && group.defaultOption?.id == 1)
        #expect(group.automaticOption(for: languages("de", "en"))?.id == 2)
        #expect(group.automaticOption(for: languages("de-AT"))?.id == 2)
        #expect(group.automaticOption(for: languages("fr"))?.id == 1)
        #expect(group.automaticOption(for: [])?.id == 1)
    }

    @Test func `subtitles appear if the audio is in no preferred language, else only forced ones`()
        throws
    {
        let group = try #require(film.mediaSelectionGroup(for: .legible))
        let sound = try #require(film.mediaSelectionGroup(for: .audible)).options
        #expect(group.allowsEmptySelection && group.defaultOption == nil)
        #expect(group.automaticOption(for: languages("de"), sound: sound[0])?.id == 7)
        #expect(group.automaticOption(for: languages("de"), sound: sound[1])?.id == 6)
        #expect(group.automaticOption(for: languages("en"), sound: sound[0]) == nil)
        #expect(group.automaticOption(for: languages("fr"), sound: sound[0]) == nil)
    }

    @Test func `options are filtered by language, the preferred first`() throws {
        let group = try #require(film.mediaSelectionGroup(for: .legible))
        #expect(group.options(in: languages("de", "en")).map(\.id) == [6, 7, 4, 5])
        #expect(
            group.options.map(\.displayName) == [
                "English, hearing impaired", "English", "German, forced", "German",
            ])
        #expect(film.mediaSelectionGroup(for: .visual)?.options.count == 1)
    }

    @Test func `a kind that has no tracks has no group`() {
        let empty = AssetDescription(container: "test", duration: .zero)
        #expect(empty.mediaSelectionGroup(for: .legible) == nil)
    }
}
