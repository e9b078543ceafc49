// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadTime
import Testing

@Suite struct ScreenshotTemplateTests {
    /// One hour, two minutes, three seconds and 456 milliseconds into a video.
    private static let facts = ScreenshotTemplate.Facts(
        file: "/films/a film.old.mkv", time: MediaTime(value: 3_723_456, timescale: 1000),
        date: 1_700_000_000
    ) { property in
        switch property {
        case .mediaTitle: "This/That"
        case .speed: "1"
        default: nil
        }
    }

    @Test(arguments: [
        ("playhead-%n", "playhead-0007"), ("%02n", "07"), ("%00n|%09n", "7|000000007"),
        ("%f", "a film.old.mkv"), ("%F", "a film.old"), ("%x", "/films/"),
        ("%X{none}%F", "/films/a film.old"), ("%p", "01:02:03"), ("%P", "01:02:03.456"),
        ("%wH %wh %wM %wm %wS %ws %wf %wT", "01 1 02 62 03 3723 3723.456 456"),
        ("%{media-title}", "This_That"), ("%{speed}x", "1x"), ("%{chapter}", "(unavailable)"),
        ("%{chapter:no/ne}", "no_ne"), ("100 %%", "100 %"), ("shots/%tY/%n", "shots/2023/0007"),
        ("plain", "plain"),
    ])
    func `percent sequences expand as in mpv's manual`(
        template: String, path: String
    ) throws {
        #expect(try ScreenshotTemplate(template).path(number: 7, Self.facts) == path)
    }

    @Test func `the number of a template is reported, if it has one`() throws {
        #expect(ScreenshotTemplate.standard.path(number: 12, Self.facts) == "playhead-0012")
        #expect(try ScreenshotTemplate("playhead-%n") == .standard)
        #expect(try ScreenshotTemplate("%#02n").takesLowestNumber)
        #expect(try !ScreenshotTemplate("%02n").takesLowestNumber)
        #expect(try !ScreenshotTemplate("%F").hasNumber)
    }

    @Test func `a missing directory expands to nothing, and a name without extension to itself`()
        throws
    {
        let template = try ScreenshotTemplate("%X{here}|%x|%F")
        func path(_ file: String) -> String {
            var facts = Self.facts
            facts.file = file
            return template.path(number: 1, facts)
        }
        #expect(path("https://host/film.mp4") == "here||film")
        #expect(path("-") == "here||-")
        #expect(path("film") == "./|./|film")
        #expect(path("a/.hidden") == "a/|a/|.hidden")
    }

    @Test(arguments: [
        "%", "%q", "%w", "%wq", "%t", "%t1", "%{", "%{nothing}", "%X", "%#5n", "%0", "",
    ])
    func `an invalid template is refused in one line`(text: String) {
        #expect(throws: CommandError.self) { try ScreenshotTemplate(text) }
    }
}
