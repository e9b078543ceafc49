// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadFFmpeg

extension DataAsset {
    /// Creates an asset for data that the caller provides and FFmpeg reads. This does no work and
    /// cannot fail.
    ///
    ///     let asset = DataAsset(archive.source(of: "intro.mp4"), name: "intro.mp4")
    ///
    /// - Parameters:
    ///   - name: The name for error messages and lists.
    ///   - options: The options for opening. Access rules have no effect, because the data may not
    ///     refer to other files.
    public convenience init(
        _ source: any MediaDataSource, name: String = "data",
        options: AssetOptions = AssetOptions()
    ) {
        self.init(
            name: name, opener: FFmpegOpener(.data(source, name: name), options: options))
    }

    /// Creates an asset for a copy of an array.
    public convenience init(
        _ bytes: [UInt8], name: String = "data", options: AssetOptions = AssetOptions()
    ) {
        self.init(MemoryDataSource(bytes), name: name, options: options)
    }

    /// Creates an asset for a file descriptor, which is duplicated.
    ///
    /// - Throws: An error if the descriptor is not open.
    public convenience init(
        fileDescriptor: Int32, name: String? = nil, options: AssetOptions = AssetOptions()
    ) throws(MediaError) {
        let source = try FileDescriptorDataSource(fileDescriptor, subject: name)
        self.init(source, name: name ?? "file descriptor \(fileDescriptor)", options: options)
    }
}
