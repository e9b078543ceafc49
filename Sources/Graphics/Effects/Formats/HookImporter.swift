// SPDX-License-Identifier: Apache-2.0

/// Imports user shaders of mpv and libplacebo: blocks that hook into stages between the decoder and
/// the screen.
///
/// `HookChain.Stage` lists the stages. Supported lines of blocks are
/// `HOOK BIND SAVE DESC WIDTH HEIGHT WHEN COMPONENTS OFFSET COMPUTE`. `PARAM` and `TEXTURE` blocks,
/// also with `STORAGE`, are supported too. Anything else is an error that names the line. A shader
/// is either drawn completely or not at all. `LUMA`, `CHROMA` and `NATIVE` are the stored planes of
/// the video. For other images, they are computed from R'G'B' by BT.709 in full range, without
/// subsampling.
///
/// - Corresponds to: mpv's `--glsl-shaders`; libplacebo's custom shaders.
package enum HookImporter {
    /// Creates an effect from the text of a file.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.malformedHeader`.
    package static func effect(
        text: String, path: String
    ) throws(EffectError) -> Effect {
        let text = ShaderText.withLineFeeds(text)
        try SourceLimits.check(text, path: path, firstLine: 1, source: Limits.source)
        let blocks = try HookBlock.blocks(of: text, path: path)
        guard blocks.count <= Limits.blocks else {
            throw .beyondLimit(
                path: path, line: nil,
                reason: "it has \(blocks.count) blocks; the maximum is \(Limits.blocks)")
        }
        var chain = HookChain(path: path, blocks: blocks)
        for block in blocks {
            try chain.addParameter(block)
            try chain.addTable(block)
        }
        chain.begin()
        for stage in HookChain.Stage.allCases { try chain.add(stage, blocks) }
        chain.end()
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .hook,
            inputs: [EffectInput(name: "inputImage", kind: .image)] + chain.parameters,
            shaders: chain.shaders)
        effect.passes = chain.passes
        // The descriptions of parameters are left out, because they are shown with the inputs.
        effect.summary =
            blocks.first { $0.parameter == nil && !$0.summary.isEmpty }?.summary ?? ""
        effect.tables = chain.tables
        effect.requirements.sourceSize = true
        effect.requirements.storedPlanes = chain.readsPlanes
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        return effect
    }

    private enum Limits {
        /// The maximum number of blocks, and the maximum size of a file in bytes. The largest
        /// network of Anime4K has 84 blocks and about 2 MB.
        static let blocks = 512
        static let source = 8 << 20
    }
}
