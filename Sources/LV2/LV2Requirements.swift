// SPDX-License-Identifier: Apache-2.0

/// The features and options without which a plug-in does not run, by their URIs.
struct LV2Requirements: Sendable, Hashable {
    var features: [String]
    var options: [String]

    /// Returns the reason why the requirements are not met, or nil.
    func problem(in plugin: String) -> LV2Error? {
        if let feature = features.first(where: { !LV2URI.supportedFeatures.contains($0) }) {
            return Self.unsupported(feature, plugin)
        }
        if let option = options.first(where: { !LV2URI.supportedOptions.contains($0) }) {
            return LV2Error(
                .unsupportedFeature, subject: plugin,
                cause: "it requires the option \(option), which is not supported",
                remedy: "use another plug-in")
        }
        return nil
    }

    private static func unsupported(_ feature: String, _ plugin: String) -> LV2Error {
        feature == LV2URI.worker
            ? LV2Error(
                .unsupportedFeature, subject: plugin,
                cause: "it requires a worker thread (\(feature)), which is not supported",
                remedy: "use another plug-in")
            : LV2Error(
                .unsupportedFeature, subject: plugin,
                cause: "it requires the feature \(feature), which is not supported",
                remedy: "use another plug-in")
    }
}
