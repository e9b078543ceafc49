// SPDX-License-Identifier: Apache-2.0

import PlayheadDesktop
import PlayheadUI

/// The desktop entry and the AppStream metadata.
///
/// - Corresponds to: the Desktop Entry Specification, version 1.4; AppStream 1.0.
enum DesktopEntry {
    static var text: String {
        """
        [Desktop Entry]
        Type=Application
        Version=1.4
        Name=Playhead
        GenericName=Video Player
        Comment=Play video with OpenGL and shader effects
        Exec=playhead play --browse --idle %U
        TryExec=playhead
        Icon=playhead
        Terminal=false
        StartupWMClass=playhead
        Categories=AudioVideo;Video;Player;
        Keywords=video;movie;film;shader;effect;
        MimeType=\(DesktopSession.mimeTypes.joined(separator: ";"));
        """
    }

    static var metainfo: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <component type="desktop-application">
          <id>org.playhead.Playhead</id>
          <metadata_license>CC0-1.0</metadata_license>
          <project_license>Apache-2.0</project_license>
          <name>Playhead</name>
          <summary>Play video with OpenGL and shader effects</summary>
          <description>
            <p>Plays every format that FFmpeg decodes, with exact audio sync, and applies shader
            effects: chroma keys, LUTs, and shaders for ISF, gl-transitions, Shadertoy and mpv.</p>
          </description>
          <launchable type="desktop-id">playhead.desktop</launchable>
          <provides>
            <binary>playhead</binary>
            <dbus type="user">org.mpris.MediaPlayer2.playhead</dbus>
            \(DesktopSession.mimeTypes.map { "<mediatype>\($0)</mediatype>" }
                .joined(separator: "\n    "))
          </provides>
          <content_rating type="oars-1.1"/>
          <releases><release version="\(Version.text)" date="2026-11-21"/></releases>
        </component>
        """
    }
}
