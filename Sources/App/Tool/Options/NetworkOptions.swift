// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The options for inputs over HTTP. They have mpv's names.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Proxy for HTTP and HTTPS, such as http://127.0.0.1:8888; none by default.",
            valueName: "address"))
    var httpProxy: String?

    @Option(
        help: ArgumentHelp(
            "Header field of HTTP requests, as in 'Authorization: Bearer abc'. It is sent only to "
                + "the servers that the command line names. Repeatable.",
            valueName: "field"))
    var httpHeaderFields: [String] = []

    @Option(
        help: ArgumentHelp(
            "Name of the program that HTTP servers receive; 'Playhead' by default.",
            valueName: "name"))
    var userAgent: String?

    func validate() throws {
        for field in httpHeaderFields where Self.parts(field) == nil {
            throw ValidationError(
                "--http-header-fields: expected 'NAME: VALUE', found '\(field)'")
        }
    }

    /// Adds the options to those of an asset.
    func apply(to options: inout AssetOptions) {
        options.httpProxy = httpProxy
        options.httpUserAgent = userAgent
        for field in httpHeaderFields {
            if let (name, value) = Self.parts(field) { options.httpHeaderFields[name] = value }
        }
    }

    private static func parts(_ field: String) -> (name: String, value: String)? {
        guard let colon = field.firstIndex(of: ":"), colon > field.startIndex else { return nil }
        return (
            String(field[..<colon]),
            String(field[field.index(after: colon)...].drop { $0 == " " })
        )
    }
}
