// SPDX-License-Identifier: Apache-2.0

// An SDL2 host in C++ with its own scene: a rotating cube with the video as a texture on its sides.
//
//     host FILE [--effect NAME] [--headless --frames N -o OUT.png]
//
// Space pauses and plays, q and Escape quit. Without a window the video is drawn flat, the host
// advances the time by a thirtieth of a second for each frame, and writes the last frame to a file.

#include <SDL2/SDL.h>
#include <SDL2/SDL_opengl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <playhead.h>
#include <string>

#include "headless.h"

namespace {

// Ends the program with the library's error if a call has failed.
void must(playhead_status status) {
    if (status >= 0) return;
    std::fprintf(stderr, "%s: %s\n", playhead_status_name(status), playhead_last_error());
    std::exit(1);
}

// Returns a zeroed structure with its size set.
template <typename Structure> Structure sized() {
    Structure structure = Structure();
    structure.struct_size = sizeof structure;
    return structure;
}

// A player that is destroyed at the end of its scope.
class Player {
public:
    explicit Player(bool is_headless) {
        playhead_options options = sized<playhead_options>();
        options.clock_mode = is_headless ? PLAYHEAD_CLOCK_TICK : PLAYHEAD_CLOCK_OWN;
        options.audio_mode = is_headless ? PLAYHEAD_AUDIO_NONE : PLAYHEAD_AUDIO_DEVICE;
        must(playhead_create(&options, &handle_));
        // The cube's texture is on unit 0, which the library does not use.
        playhead_gl_options gl = sized<playhead_gl_options>();
        gl.texture_unit_base = 1;
        must(playhead_gl_init(handle_, &gl));
    }
    ~Player() {
        must(playhead_gl_deinit(handle_));
        must(playhead_destroy(handle_));
    }
    Player(const Player &) = delete;
    Player &operator=(const Player &) = delete;
    operator playhead_player *() const { return handle_; }

private:
    playhead_player *handle_ = nullptr;
};

void run_headless(playhead_player *player, int frames, const char *output) {
    unsigned framebuffer = headless_make_framebuffer(640, 360);
    for (int frame = 0; frame < frames; frame++) {
        if (frame > 0) must(playhead_tick(player, 1000000000 / 30));
        // A game draws the available frame; a program that writes files waits for every frame.
        must(playhead_wait_for_frame(player, 30000000000, nullptr));
        playhead_target target = sized<playhead_target>();
        target.framebuffer = framebuffer;
        target.framebuffer_width = 640;
        target.framebuffer_height = 360;
        target.background[3] = 1;
        must(playhead_render(player, &target, nullptr));
    }
    if (!headless_write_png(framebuffer, 640, 360, output)) std::exit(1);
}

// The host's own scene, in the OpenGL version of its choice: here the oldest one.
void draw_cube(unsigned texture, int width, int height, float turn) {
    glViewport(0, 0, width, height);
    glClearColor(0.1f, 0.1f, 0.12f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, texture);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    double side = 0.6 * width / height;
    glFrustum(-side, side, -0.6, 0.6, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    for (int face = 0; face < 4; face++) {
        glLoadIdentity();
        glTranslatef(0, 0, -5);
        glRotatef(15, 1, 0, 0);
        glRotatef(turn + 90.0f * static_cast<float>(face), 0, 1, 0);
        glBegin(GL_TRIANGLE_STRIP);
        // The texture's first row is the top row of the frame.
        glTexCoord2f(0, 1), glVertex3f(-1.6f, -0.9f, 1.6f);
        glTexCoord2f(1, 1), glVertex3f(1.6f, -0.9f, 1.6f);
        glTexCoord2f(0, 0), glVertex3f(-1.6f, 0.9f, 1.6f);
        glTexCoord2f(1, 0), glVertex3f(1.6f, 0.9f, 1.6f);
        glEnd();
    }
}

bool handle_events(playhead_player *player) {
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT) return false;
        if (event.type != SDL_KEYDOWN) continue;
        SDL_Keycode key = event.key.keysym.sym;
        if (key == SDLK_q || key == SDLK_ESCAPE) return false;
        if (key != SDLK_SPACE) continue;
        playhead_state state = sized<playhead_state>();
        must(playhead_get_state(player, &state));
        must(state.transport == PLAYHEAD_PAUSED ? playhead_play(player) : playhead_pause(player));
    }
    playhead_event happened = sized<playhead_event>();
    while (playhead_next_event(player, &happened) == PLAYHEAD_OK) {
        if (happened.type == PLAYHEAD_EVENT_ERROR) std::fprintf(stderr, "%s\n", happened.text);
        if (happened.type == PLAYHEAD_EVENT_ERROR) return false;
    }
    return true;
}

void run_in_window(playhead_player *player, SDL_Window *window) {
    must(playhead_set_loop(player, -1, 0, PLAYHEAD_NO_TIME));
    SDL_GL_SetSwapInterval(1);
    while (handle_events(player)) {
        int width = 0, height = 0;
        SDL_GL_GetDrawableSize(window, &width, &height);
        playhead_texture texture = sized<playhead_texture>();
        bool has_picture = playhead_acquire_texture(player, nullptr, &texture) == PLAYHEAD_OK;
        float turn = static_cast<float>(SDL_GetTicks()) * 0.02f;
        draw_cube(has_picture ? texture.name : 0, width, height, turn);
        // All commands that read it have been issued, so no fence is needed.
        if (has_picture) must(playhead_release_texture(player, texture.lease, nullptr));
        SDL_GL_SwapWindow(window);
    }
}

}  // namespace

int main(int count, char **arguments) {
    std::string film, effect, output = "out.png";
    int frames = 30;
    bool is_headless = false;
    for (int index = 1; index < count; index++) {
        std::string argument = arguments[index];
        bool has_more = index + 1 < count;
        if (argument == "--headless") is_headless = true;
        else if (has_more && argument == "--frames") frames = std::atoi(arguments[++index]);
        else if (has_more && argument == "--effect") effect = arguments[++index];
        else if (has_more && argument == "-o") output = arguments[++index];
        else film = argument;
    }
    SDL_Window *window = nullptr;
    if (is_headless) {
        if (!headless_make_context()) return std::fprintf(stderr, "no OpenGL\n"), 3;
    } else {
        SDL_Init(SDL_INIT_VIDEO);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_COMPATIBILITY);
        SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
        window = SDL_CreateWindow(
            film.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 960, 540,
            SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
        if (!window || !SDL_GL_CreateContext(window))
            return std::fprintf(stderr, "%s\n", SDL_GetError()), 3;
    }
    {
        Player player(is_headless);
        playhead_effect *added = nullptr;
        if (!effect.empty()) must(playhead_effect_add(player, effect.c_str(), &added));
        must(playhead_open(player, film.c_str()));
        must(playhead_play(player));
        if (is_headless) run_headless(player, frames, output.c_str());
        else run_in_window(player, window);
    }
    if (window) SDL_Quit();
    return 0;
}
