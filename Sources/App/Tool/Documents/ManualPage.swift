// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The manual as `man` reads it, made of what the program says of itself.
///
/// - Corresponds to: man(7).
struct ManualPage {
    private var lines: [String] = []

    static func text(of manual: CommandManual) -> String {
        var page = ManualPage()
        page.lines.append(
            ".TH PLAYHEAD 1 \"\" \"playhead \(Version.text)\" \"User Commands\"")
        page.section("NAME")
        page.paragraph("playhead \u{2013} plays films through OpenGL, with effects")
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
            "What keys can be bound to in keys.conf, and what the socket of --ipc takes, in mpv's words."
        )
        for row in CommandDescription.all {
            page.term("\(row.name) \(row.arguments)", row.help)
        }
        page.section("PROPERTIES")
        page.paragraph("What set, add, multiply and cycle change, and what the socket tells.")
        for row in PropertyDescription.all {
            let values = row.isWritable ? row.form.expectation : "not to be set"
            page.term(row.property.rawValue, "\(row.help) (\(values))")
        }
        page.section("SOCKET")
        page.paragraph(
            "The socket of --ipc takes mpv's JSON, a line each: besides the commands above client_name, "
                + "get_version, get_time_us, get_property, set_property, observe_property, "
                + "unobserve_property, each also with _string, enable_event and disable_event. It tells of "
                + "start-file, file-loaded, seek, end-file with its reason, idle and shutdown, and of "
                + "property-change.")
        page.section("FILES")
        page.term("$XDG_CONFIG_HOME/playhead/config", "Options of play, as name = value.")
        page.term("$XDG_CONFIG_HOME/playhead/keys.conf", "Keys, as key commands # what is said.")
        page.term("$XDG_STATE_HOME/playhead/positions", "Where films were left.")
        page.term("$XDG_STATE_HOME/playhead/monitor", "The monitor that a film was shown on.")
        page.term("$XDG_CACHE_HOME/playhead/uploads", "Which way of uploading was quickest.")
        page.section("ENVIRONMENT")
        page.term(
            PictureConversion.variable, "What converts pictures on software OpenGL: cpu or gpu.")
        page.term(
            PictureUpload.variable,
            "How pictures get into textures, as --upload: direct, ring or mapped.")
        page.term(GLMessageLog.variable, "1 has the driver say what it finds wrong.")
        page.term("PLAYHEAD_CLIP", "The film that plays where none is named.")
        page.term("NO_COLOR", "Set to anything, the line of state has no colours.")
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

    /// - Parameter opposite: what switches it off, which is explained with it.
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

    /// Lines as they are.
    private mutating func verbatim(_ text: String) {
        add(".PP")
        add(".nf")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            add(Self.escaped(String(line)))
        }
        add(".fi")
    }

    private mutating func add(_ line: String) { lines.append(line) }

    /// What man(7) would take for its own: backslashes, hyphens that are no minus, and dots and quotes
    /// at the beginning of a line.
    private static func escaped(_ text: String) -> String {
        var result = text.replacingOccurrences(of: "\\", with: "\\e")
        result = result.replacingOccurrences(of: "-", with: "\\-")
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}
