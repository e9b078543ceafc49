// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The manual page, generated from the parser's description of the program.
///
/// - Corresponds to: man(7).
struct ManualPage {
    private var lines: [String] = []

    static func text(of manual: CommandManual) -> String {
        var page = ManualPage()
        page.lines.append(
            ".TH PLAYHEAD 1 \"\" \"playhead \(Version.text)\" \"User Commands\"")
        page.section("NAME")
        // whatis(1) reads this line, and accepts only this form.
        page.add("playhead \\- play and process video with OpenGL and shader effects")
        page.section("SYNOPSIS")
        page.add(".B playhead")
        page.add("[\\fIcommand\\fR] [\\fIoptions\\fR] [\\fIFILE\\fR|\\fIURL\\fR ...]")
        if let discussion = manual.command.discussion {
            page.section("DESCRIPTION")
            page.verbatim(discussion)
        }
        for command in manual.command.subcommands ?? [] where command.shouldDisplay {
            page.command(command, prefix: "playhead")
        }
        page.section("KEYS")
        page.verbatim(KeyList.lines(of: .standard).joined(separator: "\n"))
        page.section("COMMANDS")
        page.paragraph(
            "The commands for keys.conf and for the socket of --ipc, named as in mpv."
        )
        for row in CommandDescription.all {
            page.term("\(row.name) \(row.arguments)", row.help)
        }
        page.section("PROPERTIES")
        page.paragraph(
            "The properties that set, add, multiply and cycle change and that the socket reports.")
        for row in PropertyDescription.all {
            let values = row.isWritable ? row.form.expectation : "read-only"
            page.term(row.property.rawValue, "\(row.help) (\(values))")
        }
        page.section("SOCKET")
        page.paragraph(
            "The socket of --ipc speaks mpv's JSON IPC, one line per request. Besides the commands "
                + "above, it takes client_name, get_version, get_time_us, get_property, "
                + "set_property, observe_property (these three also with _string), "
                + "unobserve_property, enable_event and disable_event. Its events are start-file, "
                + "file-loaded, seek, playback-restart, end-file with a reason, idle, "
                + "shutdown, client-message and property-change."
        )
        page.section("FILES")
        page.term("$XDG_CONFIG_HOME/playhead/config", "Options of play, one NAME = VALUE per line.")
        page.term(
            "$XDG_CONFIG_HOME/playhead/keys.conf",
            "Key bindings, one KEY COMMANDS # DESCRIPTION per line.")
        page.term("$XDG_STATE_HOME/playhead/positions", "The saved positions.")
        page.term("$XDG_STATE_HOME/playhead/monitor", "The monitor of the last window.")
        page.term("$XDG_CACHE_HOME/playhead/uploads", "The fastest upload method.")
        page.section("ENVIRONMENT")
        page.term(
            PictureConversion.variable, "Where frames are converted on software OpenGL: cpu or gpu."
        )
        page.term(
            PictureUpload.variable,
            "The texture upload method, as --upload: direct, ring or mapped.")
        page.term(GLMessageLog.variable, "If 1, reports the messages of the OpenGL driver.")
        page.term("PLAYHEAD_CLIP", "The file that plays if none is named.")
        page.term("NO_COLOR", "If set, the status line has no colour.")
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func command(_ command: CommandManual.Command, prefix: String) {
        let name = "\(prefix) \(command.commandName)"
        guard command.commandName != "help" else { return }
        section(name.uppercased())
        if let abstract = command.abstract { paragraph(abstract) }
        if let discussion = command.discussion { verbatim(discussion) }
        var arguments = (command.arguments ?? []).filter(\.shouldDisplay)[...]
        while let argument = arguments.popFirst() {
            let opposite = arguments.first.flatMap { $0.isOpposite(of: argument) ? $0 : nil }
            if opposite != nil { arguments.removeFirst() }
            self.argument(argument, opposite)
        }
        for subcommand in command.subcommands ?? [] where subcommand.shouldDisplay {
            self.command(subcommand, prefix: name)
        }
    }

    /// Adds the description of an argument.
    ///
    /// - Parameter opposite: the argument that turns it off, which is described in the same place.
    private mutating func argument(
        _ argument: CommandManual.Command.Argument,
        _ opposite: CommandManual.Command.Argument? = nil
    ) {
        let value = argument.valueName.map { " <\($0)>" } ?? ""
        let names = ((argument.names ?? []) + (opposite?.names ?? [])).map(\.text)
        let title =
            names.isEmpty
            ? "<\(argument.valueName ?? "argument")>"
            : names.joined(separator: ", ") + (argument.kind == "option" ? value : "")
        var text = argument.abstract ?? ""
        if let value = argument.defaultValue, !value.isEmpty { text += " (default: \(value))" }
        if let discussion = argument.discussion { text += " \(discussion)" }
        term(title, text)
    }

    // MARK: The language of man(7)

    private mutating func section(_ title: String) { add(".SH \(Self.escaped(title))") }

    private mutating func paragraph(_ text: String) {
        add(".PP")
        add(Self.escaped(text))
    }

    private mutating func term(_ title: String, _ text: String) {
        add(".TP")
        add("\\fB\(Self.escaped(title))\\fR")
        add(Self.escaped(text.replacingOccurrences(of: "\n", with: " ")))
    }

    /// Adds lines that are not filled.
    private mutating func verbatim(_ text: String) {
        add(".PP")
        add(".nf")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            add(Self.escaped(String(line)))
        }
        add(".fi")
    }

    private mutating func add(_ line: String) { lines.append(line) }

    /// Escapes the characters that are special in man(7): backslashes, hyphens, and dots and quotes
    /// at the beginning of a line.
    private static func escaped(_ text: String) -> String {
        var result = text.replacingOccurrences(of: "\\", with: "\\e")
        result = result.replacingOccurrences(of: "-", with: "\\-")
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}
