// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A reference image that was inspected, with which others are compared.
///
/// They are stored as `Tests/Golden/NAME.png`. A comparison that fails leaves three images in
/// `Output/`: actual, expected and difference. With `PLAYHEAD_UPDATE_GOLDENS=1` in the environment,
/// the actual image becomes the expected one; inspect it before it is committed.
///
///     try GoldenImage("sepia").compare(rendered)
///
/// - Concurrency: any thread.
public struct GoldenImage: Sendable {
    /// The name of the file, without its extension.
    public let name: String
    /// The largest difference of any component that passes, of 255.
    public let maximum: Int
    /// The largest root of the mean of squared differences that passes.
    public let rootMeanSquare: Double
    private let folder: URL

    /// Creates a reference.
    ///
    /// - Parameters:
    ///   - maximum: The maximum difference. OpenGL implementations differ by one or two in
    ///     rounding.
    ///   - folder: The folder of the expected image; nil for `Tests/Golden`.
    public init(
        _ name: String, maximum: Int = 3, rootMeanSquare: Double = 0.75, folder: URL? = nil
    ) {
        self.name = name
        self.maximum = maximum
        self.rootMeanSquare = rootMeanSquare
        self.folder = folder ?? Checkout.root.appending(path: "Tests/Golden")
    }

    /// Compares an image with the expected one.
    ///
    /// - Throws: `Mismatch` if the difference is too large or there is no expected image.
    public func compare(_ actual: TestImage) throws {
        if Self.areUpdated {
            try actual.write(to: file)
            return
        }
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw try mismatch("there is no \(file.path)", actual: actual, expected: nil)
        }
        let expected = try expected()
        guard let difference = actual.difference(from: expected) else {
            throw try mismatch(
                "it is \(actual.width) x \(actual.height), expected is"
                    + " \(expected.width) x \(expected.height)", actual: actual, expected: expected)
        }
        guard isWithinLimits(difference) else {
            throw try mismatch(
                "differs by up to \(difference.maximum) (limit \(maximum)), RMS"
                    + " \(difference.rootMeanSquare) (limit \(rootMeanSquare))",
                actual: actual, expected: expected)
        }
    }

    /// A Boolean value that indicates whether actual images become the expected ones.
    public static var areUpdated: Bool {
        ProcessInfo.processInfo.environment["PLAYHEAD_UPDATE_GOLDENS"] == "1"
    }

    /// Returns the expected image.
    public func expected() throws -> TestImage { try TestImage(contentsOf: file) }

    /// Returns whether an image is accepted, for polling.
    ///
    /// - Parameter expected: The result of `expected()`.
    public func accepts(_ actual: TestImage, expected: TestImage) -> Bool {
        actual.difference(from: expected).map { isWithinLimits($0) } ?? false
    }

    private func isWithinLimits(_ difference: (maximum: Int, rootMeanSquare: Double)) -> Bool {
        difference.maximum <= maximum && difference.rootMeanSquare <= rootMeanSquare
    }

    private var file: URL { folder.appending(path: "\(name).png") }

    /// The reason why an image was not accepted.
    public struct Mismatch: Error, CustomStringConvertible {
        public var description: String
    }

    private func mismatch(
        _ reason: String, actual: TestImage, expected: TestImage?
    ) throws -> Mismatch {
        let output = Checkout.output
        try actual.write(to: output.appending(path: "\(name)-actual.png"))
        if let expected {
            try expected.write(to: output.appending(path: "\(name)-expected.png"))
            if (actual.width, actual.height) == (expected.width, expected.height) {
                try actual.differencePicture(from: expected)
                    .write(to: output.appending(path: "\(name)-difference.png"))
            }
        }
        return Mismatch(
            description: "golden image \(name): \(reason); see \(output.path)/\(name)-*.png, and"
                + " run again with PLAYHEAD_UPDATE_GOLDENS=1 if the new one is right")
    }
}
